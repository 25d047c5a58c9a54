"""Every error camphor raises on purpose.

CamphorError                  one sentence: the fact, the evidence, what to do next
├── UsageError                wrong usage or bad input                        exit status 2
│   ├── DeviceFileError       a device file that breaks the format: path, JSON pointer, what was expected
│   ├── DatasetError          a dataset that breaks the format: path, line number
│   ├── DefinitionError       a tool definition, function or manifest that cannot be read
│   └── MissingExtra          an optional part is not installed: names the command that installs it
├── ToolError                 a call that cannot be carried out; told to the model as an observation
│   ├── UnknownTool           no such tool on this device
│   ├── ArgumentError         tool, parameter, value, and what would be right
│   │   ├── AmbiguousValue    several records fit: carries the candidates
│   │   └── UnknownValue      nothing fits: carries what exists
│   └── CallSyntaxError       text that is not a call list
├── ModelError                the language model cannot answer                exit status 1
│   ├── ModelMissing          no model file or server
│   └── ContextFull           the prompt does not fit the model's context
├── StoreError                the device's database cannot be read or written exit status 1
│   └── DeviceBusy            another process holds the device
├── CannotUndo                an action that cannot be taken back (any more)  exit status 1
└── Refused                   the person, or the lack of one to ask, said no  exit status 1
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class CamphorError(Exception):
    """Base of all. `str(error)` is one sentence for a person."""

    exit_status = 1

    def __reduce__(self) -> tuple[Any, ...]:
        """As made: to be told in another process, where `args` alone would not make most of them."""
        return _made_again, (type(self), self.args, self.__dict__)


def _made_again(kind: type[CamphorError], args: tuple[Any, ...], told: dict[str, Any]) -> CamphorError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(told)
    return error


class UsageError(CamphorError):
    """Wrong usage or bad input."""

    exit_status = 2


class DeviceFileError(UsageError):
    def __init__(self, path: str, pointer: str, expected: str) -> None:
        self.path, self.pointer, self.expected = path, pointer, expected
        super().__init__(f"{path}: at {pointer or '/'}: expected {expected}")


class DatasetError(UsageError):
    """A dataset that breaks its format, at a line, from 1, or as a whole file (None)."""

    def __init__(self, path: str, line: int | None, problem: str) -> None:
        self.path, self.line, self.problem = path, line, problem
        super().__init__(f"{path}: {problem}" if line is None else f"{path}, line {line}: {problem}")


class DefinitionError(UsageError):
    pass


class MissingExtra(UsageError):
    def __init__(self, what: str, extra: str, package: str = "camphor") -> None:
        self.extra = extra
        super().__init__(f"{what} is not installed: run  {install_command(package, extra)}")


def install_command(package: str, extra: str = "") -> str:
    """The command that installs a package of this project, with an extra of it.

    No index has them: they are installed from the folder of the repository. The extras of camphor need no folder, as
    camphor itself is installed where they are asked for.
    """
    if package == "camphor" and extra:
        return f"pip install 'camphor[{extra}]'"
    folder = {"camphor": ".", "camphor-lab": "./lab"}[package]
    wanted = f'"{folder}[{extra}]"' if extra else folder
    return f"pip install {wanted}  in the folder of camphor's repository"


class ToolError(CamphorError):
    """A call that cannot be carried out; told as an observation, so that no run ends by it."""


class UnknownTool(ToolError):
    pass


class ArgumentError(ToolError):
    """A value that a tool cannot take.

    Args:
        tool: name of the tool; parameter: name of the parameter; value: what was given; expected: what would be right.
    """

    def __init__(self, tool: str, parameter: str, value: Any, expected: str) -> None:
        self.tool, self.parameter, self.value, self.expected = tool, parameter, value, expected
        shown = repr(value) if len(repr(value)) <= 80 else repr(value)[:77] + "..."
        super().__init__(f"{tool}({parameter}={shown}): expected {expected}")


class AmbiguousValue(ArgumentError):
    def __init__(self, tool: str, parameter: str, value: Any, candidates: Sequence[str]) -> None:
        self.candidates = tuple(candidates)
        super().__init__(tool, parameter, value, "one of " + "; ".join(self.candidates))


class UnknownValue(ArgumentError):
    pass


class CallSyntaxError(ToolError):
    pass


class ModelError(CamphorError):
    """The language model cannot answer."""


class ModelMissing(ModelError):
    pass


class ContextFull(ModelError):
    pass


class StoreError(CamphorError):
    """The device's database cannot be read or written."""


class DeviceBusy(StoreError):
    pass


class CannotUndo(CamphorError):
    pass


class Refused(CamphorError):
    pass
