"""Which language model a command means, and where the functions that it calls are.

`embedded`                 SmolLM2-135M with the adapter that ships
FILE.gguf                  any other model file, by its own chat template where it has one
FOLDER, hf:NAME            likewise in transformers' form, here or on the hub; `--adapter` is a folder in peft's form
http://HOST/v1#NAME        a server with the OpenAI interface, here or elsewhere; its key from OPENAI_API_KEY
ollama:NAME and so on      the same on this computer: Ollama, lmstudio, llama-server and vllm at their own ports
scripted:FILE.json         a list of replies, for demonstrations and tests
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import typer

from camphor.cli.home import cache_folder, demo_store, open_device, tools_of_file
from camphor.cli.settings import EMBEDDED as EMBEDDED
from camphor.cli.settings import setting
from camphor.errors import ToolError, UsageError, install_command
from camphor.tools.invoke import check
from camphor.tools.tool import Kind, Tool, Toolbox
from camphor.types import Call, Observation

if TYPE_CHECKING:
    from camphor.agents.calling.caller import Caller
    from camphor.agents.calling.prompts import CallForm
    from camphor.agents.prompts import Form
    from camphor.device.device import Device
    from camphor.models.base import LanguageModel
    from camphor.models.llama import LlamaModel


HEALTH = "health"
"""Whose adapter the embedded model takes for the health assistant."""
_NAMES = (
    "a GGUF file, a folder in transformers' form, hf:NAME for a model on the hub, a server's address and model as "
    "http://HOST/v1#NAME, or ollama:NAME, lmstudio:NAME, llama-server:NAME or vllm:NAME for one on this computer."
)
HELP = f"embedded (the default), {_NAMES}"
"""Of commands that keep the model that they were made for, whatever  camphor models use  says."""
HELP_CHOSEN = f"embedded, {_NAMES} The one that  camphor models use  keeps unless given, which is embedded at first."


def chosen_model(given: str | None, adapter: Path | None = None) -> str:
    """The model that a command works with: the one that --model names, or else the one that the person keeps.

    An adapter that is given without a model is one for the embedded model.

    Raises:
        UsageError: the settings are damaged.
    """
    if given is not None or adapter is not None:
        return given or EMBEDDED
    return str(setting("model"))


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
    from camphor.models.destination import full_name

    name = full_name(name or EMBEDDED)
    if name == EMBEDDED:
        from camphor.models.llama import LlamaModel, shipped_adapter

        adapter = adapter or shipped_adapter(purpose)
        if adapter is None and purpose:
            get = install_command("camphor-lab")
            raise UsageError(f"The adapter for {purpose} comes with the laboratory: run  {get}")
        return _told(LlamaModel(adapter=adapter, threads=threads, merged_folder=cache_folder())), Form.NAMES
    if name.startswith("scripted:"):
        return _scripted(Path(name.removeprefix("scripted:"))), Form.NAMES
    if name.startswith(("http://", "https://")):
        from camphor.models.openai import OpenAIModel

        address, _, model = name.partition("#")
        if not model:
            raise UsageError(f"{name}: say which model of the server, as in  --model {address}#NAME")
        timeout, context = float(setting("model.timeout")), int(setting("model.context"))
        return OpenAIModel(address, model, server_key(), timeout=timeout, context=context), Form.INSTRUCTED
    if Path(name).is_file() or name.endswith(".gguf"):
        from camphor.models.llama import LlamaModel

        if adapter is not None:
            tuned = LlamaModel(Path(name), adapter=adapter, threads=threads, merged_folder=cache_folder())
            return _told(tuned), Form.NAMES
        untuned = LlamaModel(Path(name), context=None, threads=threads, merged_folder=cache_folder())
        chat = untuned.conversing()
        _told(untuned)
        return chat or untuned, Form.INSTRUCTED
    if Path(name).is_dir() or name.startswith("hf:"):
        from camphor.models.function_tokens import FOLDER
        from camphor.models.transformers import CONTEXT, LARGE_CONTEXT, TransformersModel

        context = CONTEXT if adapter else LARGE_CONTEXT
        hub = TransformersModel(name, adapter, context, cache_folder() / FOLDER, threads=threads)
        if adapter is not None:
            return hub, Form.NAMES
        return hub.conversing() or hub, Form.INSTRUCTED
    raise UsageError(f"There is no model {name[:200]!r}: --model takes {HELP}")


def server_key() -> str | None:
    """The key of servers, from the environment variable that the settings name; None where it is not set or empty."""
    return os.environ.get(str(setting("model.key_env"))) or None


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


# Where functions are called, and who says which: what `camphor call` and `camphor teach` share.

ANDROID_DEMO = "signe-bergen"
FORMS = ("compact", "code_short", "code", "json_short", "json")


@dataclass(frozen=True)
class Done:
    """What a call gave back, and what else the phone said of it."""

    value: Any = None
    note: str = ""


class CallTarget(Protocol):
    """Carries out calls."""

    @property
    def toolbox(self) -> Toolbox: ...

    @property
    def now(self) -> datetime: ...

    def normalise(self, call: Call) -> Call:
        """The call as it will be made. Raises ToolError: why it cannot be."""

    def run(self, call: Call, key: str) -> Done:
        """Make the call; of two with one key the second does nothing. Raises ToolError, StoreError: as `Device`."""

    def command(self, call: Call) -> str:
        """The call as a command line of an Android phone's shell; "" where it is none. Raises ToolError."""

    def close(self) -> None: ...


class PhoneTarget:
    """A device: its Android functions, and those that were installed from Python files.

    Raises:
        UsageError: it has neither.
    """

    def __init__(self, device: Device) -> None:
        from camphor.device.android.toolbox import FUNCTIONS

        self.device = device
        self._android = frozenset(FUNCTIONS)
        callable_ = self._android | set(device.function_folders)
        self.toolbox = Toolbox(tool for tool in device.toolbox if tool.app in callable_)
        if not len(self.toolbox):
            raise UsageError(
                f"{device.id} has no functions to call: name an Android phone as --device, or a module as --tools"
            )

    @property
    def now(self) -> datetime:
        return self.device.now

    def normalise(self, call: Call) -> Call:
        return self.device.normalise(call)

    def run(self, call: Call, key: str) -> Done:
        observation = self.device.execute(call, key)
        if observation.error is not None:
            raise ToolError(observation.error)
        note = str(observation.records[0].get("note", "")) if observation.records else ""
        return Done(self._result(self.toolbox.get(call.name), observation), note)

    def _result(self, tool: Tool, observation: Observation) -> Any:
        from camphor.device.android.toolbox import RESULT, result_of

        if tool.app in self._android or tool.kind is Kind.ACTION:
            return result_of(observation)
        found = [each[RESULT] if set(each) == {RESULT} else dict(each) for each in observation.records]
        return found[0] if len(found) == 1 else found or None

    def command(self, call: Call) -> str:
        from camphor.device.android.adb import am_start
        from camphor.device.android.intent import Intent
        from camphor.device.android.toolbox import intent_of

        if self.toolbox.get(call.name).app not in self._android:
            return ""
        asked = intent_of(call, self.device.zone)
        return am_start(asked) if isinstance(asked, Intent) else ""

    def close(self) -> None:
        self.device.close()


class Functions:
    """Python functions, called as they are; what they do is noted nowhere but by themselves."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self.toolbox = Toolbox(tools)

    @property
    def now(self) -> datetime:
        return datetime.now().replace(microsecond=0)

    @property
    def missing(self) -> str:
        """A function that has no code to run, or ""."""
        return next((tool.name for tool in self.toolbox if tool.function is None), "")

    def normalise(self, call: Call) -> Call:
        from camphor.agents.calling.times import settle_times

        return check(self.toolbox.get(call.name), settle_times((call,), self.toolbox, self.now)[0])

    def run(self, call: Call, key: str) -> Done:
        from camphor.tools.invoke import invoke

        return Done(invoke(self.toolbox.get(call.name), call.arguments))

    def command(self, call: Call) -> str:
        return ""

    def close(self) -> None:
        """Nothing to free."""


def open_place(tools: Path | None, device: str | None) -> PhoneTarget | Functions:
    """Where the functions are called that --tools or --device names; the Android demo phone for neither.

    Raises:
        UsageError: both, or what cannot be read. StoreError: the device is in use.
    """
    if tools is not None:
        if device is not None:
            raise UsageError("--tools and --device both say what can be called: leave one of them out")
        return Functions(tools_of_file(tools))
    if device is None or (device == ANDROID_DEMO and not Path(device).exists()):
        device = str(demo_store(ANDROID_DEMO, "android.device.json"))
    opened = open_device(device)
    try:
        return PhoneTarget(opened)
    except UsageError:
        opened.close()
        raise


@dataclass(frozen=True)
class Mind:
    """A model for function calling, the form of its prompts, and what both are called in records."""

    model: LanguageModel
    form: CallForm
    name: str
    adapter: str


def open_mind(
    model: str | None,
    adapter: Path | None,
    form: str | None,
    threads: int | None,
    *,
    untuned: bool = False,
    tools: Iterable[Tool] | None = None,
) -> Mind:
    """The model that --model names, with --adapter; the embedded one without it gets one that ships, if any: that of
    the 24 Android functions for these, and the assistant's, which learnt to read others, for all else.

    Args:
        untuned: no adapter at all. tools: the functions that will be called; Android's for None.

    Raises:
        UsageError: there is no such form or model. ModelMissing: no file or server of that name.
    """
    from camphor.agents.calling.prompts import CallForm

    if form is not None and form not in FORMS:
        raise UsageError(f"There is no form {form[:80]!r}: choose from {', '.join(FORMS)}")
    embedded = model is None or model == EMBEDDED
    if embedded:
        from camphor.models.llama import LlamaModel, shipped_adapter

        purpose = "" if _are_others(tools) else "functions"
        adapter = adapter or (None if untuned else shipped_adapter(purpose))
    if adapter is None and embedded:  # without one `open_model` would take the assistant's, which writes no plans
        mind: LanguageModel = LlamaModel(adapter=False, threads=threads, merged_folder=cache_folder())
    else:
        mind = open_model(model, adapter, threads)[0]
    chosen = CallForm(form or ("compact" if adapter else "json"))
    return Mind(mind, chosen, model or EMBEDDED, adapter.name if adapter else "")


def _are_others(tools: Iterable[Tool] | None) -> bool:
    """Whether some of the functions are none of the 24 of Android."""
    from camphor.device.android.toolbox import android_toolbox

    return any(tool.name not in android_toolbox() for tool in tools or ())


def tell_unknown_functions(mind: Mind, toolbox: Toolbox) -> None:
    """Say on standard error that the adapter that ships never saw some of these functions, where that is so."""
    from camphor.models.llama import shipped_adapter

    shipped = {path.name for path in map(shipped_adapter, ("", "functions")) if path}
    if mind.adapter in shipped and _are_others(toolbox):
        typer.echo(
            "The adapter that ships never saw these functions and is often wrong about them: "
            "docs/tutorial-functions.md shows how to train one on yours, for --adapter",
            err=True,
        )


def caller_of(mind: Mind, toolbox: Toolbox, top: int | None) -> Caller:
    """A caller that sees the `top` functions that a retriever finds, all for 0, or for None what is usual."""
    from camphor.agents.calling.caller import Caller
    from camphor.agents.calling.shown import shown

    return Caller(mind.model, shown(toolbox, top), mind.form)
