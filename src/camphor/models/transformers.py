"""Any causal language model that transformers can open: from a folder, a GGUF file, or the hub.

Slower than llama.cpp on a processor, and the way to larger models on a GPU and to adapters as training writes them.
Needs the extra `train`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from camphor.errors import ModelMissing
from camphor.models.base import Reply, Request
from camphor.models.chat_template import in_template
from camphor.models.function_tokens import (
    SUFFIX,
    DefinitionEncoder,
    FunctionTokens,
    LlamaEncoder,
    Method,
    Projector,
    beside,
)
from camphor.models.local import LocalModel
from camphor.models.torch_engine import TorchEncoder, TorchEngine

if TYPE_CHECKING:
    from camphor.models.local_chat import LocalChat

CONTEXT = 4096
LARGE_CONTEXT = 16_384
"""For conversations with the tools of a phone; a model has no more than it was trained for."""
EMBEDDINGS = 4096
"""So many of the table's have their mean norm taken."""


class TransformersModel(LocalModel):
    """A model in transformers with an optional peft adapter.

    Segments are cut into tokens as for llama.cpp and in training, control tokens in `special` ones alone; no token is
    put before a prompt that the prompt does not have.

    Args:
        name: a folder in transformers' form, a GGUF file, or `hf:NAME` for a model on the hub: the one case in which
            a connection may be opened.
        adapter: a folder in peft's form. context: most tokens of prompt and completion together.
        vectors_folder: where vectors of definitions are kept, made by the model itself (a GGUF file's by llama.cpp, so
            that both runtimes have the same); None to keep them in memory only.
        projector: as for `LlamaModel`; None for `tokens.npz` in the adapter's folder, `STEM.tokens.npz` beside a GGUF
            file, or where there is none the default.
        device, dtype: torch's names; None for the GPU in bfloat16 where there is one, else the processor in float32.
        threads: for all that torch does in this process; None for torch's own choice.
        chat_template: whether prompts are put into the template that came with the model, for one that follows
            instructions as it was published. Without it, and in training, the model's own control tokens are all that
            is put in.

    Raises:
        MissingExtra: the extra is not installed. ModelMissing: the model or the adapter cannot be opened, or has no
        template.
    """

    def __init__(
        self,
        name: str | Path,
        adapter: str | Path | None = None,
        context: int = CONTEXT,
        vectors_folder: Path | None = None,
        projector: str | Path | None = None,
        device: str | None = None,
        dtype: str | None = None,
        threads: int | None = None,
        chat_template: bool = False,
    ) -> None:
        self.name = str(name)
        self.adapter_path = Path(adapter) if adapter else None
        self.projector_path = Path(projector) if projector else self._own_projector()
        if self.projector_path and not self.projector_path.is_file():
            raise ModelMissing(f"{self.projector_path}: there is no such projector of function tokens")
        engine = TorchEngine(self.name, self.adapter_path, context, device, dtype, threads)
        self._torch_engine, self._folder = engine, vectors_folder
        self._template = engine.chat_template() if chat_template else None
        super().__init__(engine, FunctionTokens(self._encoder, self._projector))

    def complete(self, request: Request) -> Reply:
        """As every local model, in the model's own template where that was asked for."""
        if self._template is not None:
            request = replace(request, prompt=in_template(request.prompt, self._template))
        return super().complete(request)

    def conversing(self) -> LocalChat | None:
        """As `LlamaModel.conversing`, by the template that came with the tokeniser."""
        from camphor.models.local_chat import TemplateFailed, conversing

        try:
            return conversing(self, self._torch_engine)
        except TemplateFailed:
            return None

    def _own_projector(self) -> Path | None:
        if self.adapter_path is not None:
            path = self.adapter_path / SUFFIX.lstrip(".")
            return path if path.is_file() else None
        return beside(Path(self.name)) if self._is_file else None

    @property
    def _is_file(self) -> bool:
        return Path(self.name).is_file()

    def _encoder(self, method: Method) -> DefinitionEncoder:
        if self._is_file:
            return LlamaEncoder(Path(self.name), self._folder, method)
        return TorchEncoder(self._torch_engine, self._folder, method)

    def _projector(self) -> Projector:
        if self.projector_path is not None:
            return Projector.load(self.projector_path)
        table = self._torch_engine.model.get_input_embeddings().weight.detach()
        some = table[:: max(1, len(table) // EMBEDDINGS)]
        return Projector(norm=float(some.float().norm(dim=1).mean()))
