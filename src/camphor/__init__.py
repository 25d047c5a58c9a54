"""camphor: a private assistant that runs on a person's own machine, and the toolkit to build, train and measure one.

The names below are the public ones (docs/library.md). Each is loaded when it is first used, so that `import camphor`
costs nothing.
"""

TYPE_CHECKING = False  # what type checkers take for true by its name; `typing` itself takes 7 ms to import
if TYPE_CHECKING:
    from typing import Any

    from camphor.agents.events import (
        AgentChosen,
        Answer,
        Answered,
        CallsProposed,
        ConsentNeeded,
        Decision,
        Event,
        Noted,
        Observed,
        Recalled,
        Writing,
    )
    from camphor.app import Assistant, run_to_end
    from camphor.device.device import Device
    from camphor.errors import CamphorError, ModelError, StoreError, ToolError, UsageError
    from camphor.models.base import LanguageModel, ScriptedModel
    from camphor.models.llama import LlamaModel
    from camphor.tools.modules import tool
    from camphor.tools.tool import Tool
    from camphor.types import Call, Observation, Step

__version__ = "0.1.0"

_HOMES = {
    "app": ("Assistant", "run_to_end"),
    "device.device": ("Device",),
    "tools.modules": ("tool",),
    "tools.tool": ("Tool",),
    "models.base": ("LanguageModel", "ScriptedModel"),
    "models.llama": ("LlamaModel",),
    "agents.events": (
        "AgentChosen", "Answer", "Answered", "CallsProposed", "ConsentNeeded", "Decision", "Event", "Noted",
        "Observed", "Recalled", "Writing",
    ),
    "types": ("Call", "Observation", "Step"),
    "errors": ("CamphorError", "ModelError", "StoreError", "ToolError", "UsageError"),
}  # fmt: skip
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "AgentChosen",
    "Answer",
    "Answered",
    "Assistant",
    "Call",
    "CallsProposed",
    "CamphorError",
    "ConsentNeeded",
    "Decision",
    "Device",
    "Event",
    "LanguageModel",
    "LlamaModel",
    "ModelError",
    "Noted",
    "Observation",
    "Observed",
    "Recalled",
    "ScriptedModel",
    "Step",
    "StoreError",
    "Tool",
    "ToolError",
    "UsageError",
    "Writing",
    "__version__",
    "run_to_end",
    "tool",
]


def __getattr__(name: str) -> "Any":
    """A public name, from the module that defines it (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
