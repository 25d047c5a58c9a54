"""What thinks: one interface, and the models behind it.

`LlamaModel` is in `camphor.models.llama`, `TransformersModel` in `camphor.models.transformers` and `OpenAIModel` in
`camphor.models.openai`: import them where one is opened, as the first two load the libraries that they need.
"""

from camphor.models.base import Finish, LanguageModel, Reply, Request, ScriptedModel, Timing

__all__ = ["Finish", "LanguageModel", "Reply", "Request", "ScriptedModel", "Timing"]
