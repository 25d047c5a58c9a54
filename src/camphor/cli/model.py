"""Which language model a command means.

(nothing) or `embedded`    SmolLM2-135M with the adapter that ships
FILE.gguf                  any other model file, as it is
FOLDER, hf:NAME            a model in transformers' form, here or on the hub; `--adapter` is a folder in peft's form
http://HOST/v1#NAME        a server with the OpenAI interface, here or elsewhere; its key from OPENAI_API_KEY
scripted:FILE.json         a list of replies, for demonstrations and tests
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from camphor.cli.home import cache_folder
from camphor.errors import UsageError

if TYPE_CHECKING:
    from camphor.agents.prompts import Form
    from camphor.models.base import LanguageModel
    from camphor.models.llama import LlamaModel

EMBEDDED = "embedded"
HEALTH = "health"
"""Whose adapter the embedded model takes for the health assistant."""
HELP = (
    "embedded (the default), a GGUF file, a folder in transformers' form, hf:NAME for a model on the hub, or a "
    "server's address and model as http://HOST/v1#NAME."
)


def open_model(
    name: str | None, adapter: Path | None = None, threads: int | None = None, purpose: str = ""
) -> tuple[LanguageModel, Form]:
    """The model, and how its prompts are written: a model that was not tuned is told everything.

    Args:
        purpose: which of the shipped adapters the embedded model takes where none is given, as `shipped_adapter` has
            it; the assistant's for "".

    Raises:
        UsageError: the name means nothing. ModelMissing: there is no such file or server.
    """
    from camphor.agents.prompts import Form

    if name is None or name == EMBEDDED:
        from camphor.models.llama import LlamaModel, shipped_adapter

        adapter = adapter or shipped_adapter(purpose)
        if adapter is None and purpose:
            raise UsageError(f"The adapter for {purpose} comes with the laboratory: run  pip install camphor-lab")
        return _told(LlamaModel(adapter=adapter, threads=threads, merged_folder=cache_folder())), Form.NAMES
    if name.startswith("scripted:"):
        return _scripted(Path(name.removeprefix("scripted:"))), Form.NAMES
    if name.startswith(("http://", "https://")):
        from camphor.models.openai import OpenAIModel

        address, _, model = name.partition("#")
        if not model:
            raise UsageError(f"{name}: say which model of the server, as in  --model {address}#NAME")
        return OpenAIModel(address, model, api_key=os.environ.get("OPENAI_API_KEY")), Form.INSTRUCTED
    if Path(name).is_file() or name.endswith(".gguf"):
        from camphor.models.llama import LlamaModel

        form = Form.NAMES if adapter else Form.INSTRUCTED
        return _told(LlamaModel(Path(name), adapter=adapter, threads=threads, merged_folder=cache_folder())), form
    if Path(name).is_dir() or name.startswith("hf:"):
        from camphor.models.function_tokens import FOLDER
        from camphor.models.transformers import TransformersModel

        form = Form.NAMES if adapter else Form.INSTRUCTED
        return TransformersModel(name, adapter, vectors_folder=cache_folder() / FOLDER, threads=threads), form
    raise UsageError(f"There is no model {name[:200]!r}: --model takes {HELP}")


def _told(model: LlamaModel) -> LlamaModel:
    """Say what the person should know of the model, such as a full disk where its faster form would be kept."""
    if model.notice:
        typer.echo(model.notice, err=True)
    return model


def _scripted(path: Path) -> LanguageModel:
    from camphor.models.base import ScriptedModel

    try:
        replies = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UsageError(f"{path}: there is no such file") from error
    except ValueError as error:
        raise UsageError(f"{path}: expected a JSON list of replies: {error}") from error
    if not isinstance(replies, list) or not all(isinstance(reply, str) for reply in replies):
        raise UsageError(f"{path}: expected a JSON list of replies, each a text")
    return ScriptedModel(replies)
