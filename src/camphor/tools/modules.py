"""Tools from a program's own functions, `@tool`, and from Python files: a module, or a folder of modules."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import enum
import hashlib
import inspect
import itertools
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, is_typeddict, overload

from camphor.errors import DefinitionError
from camphor.tools.hints import CHECKERS_IMPORTS, checkers_imports
from camphor.tools.readers import from_function
from camphor.tools.tool import Kind, Tool
from camphor.types import Agent

# `@tool`: a function of one's own program as a tool of the assistant, said where it is defined.


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def tool(*, reads: bool = False) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(function: Callable[..., Any] | None = None, /, *, reads: bool = False) -> Any:
    """A typed function with a docstring as a tool: `@tool` where it acts, `@tool(reads=True)` where it only reads.

    The person is asked before one that acts is run. `camphor.tools.readers.from_function` tells what is read off the
    function. What is returned is a `Tool`; the function itself is its attribute `function`. `Device.add_functions` puts
    tools on a device.

    Args:
        reads: the function changes nothing, so it runs without the person being asked. That is said and never guessed:
            a guess by name would let `get_rid_of_everything` run unasked.

    Raises:
        DefinitionError: a parameter without a type, no docstring, a type that cannot be read; with file and line.
    """
    kind, agent = (Kind.CONTEXT, Agent.CONTEXT) if reads else (Kind.ACTION, Agent.TASK)

    def made(declared: Callable[..., Any]) -> Tool:
        return from_function(declared, kind=kind, agent=agent)

    return made if function is None else made(function)


# Tools from Python files: a module's public functions, or a folder of modules, which is an app (DroidCall, 3.2.2).
#
# Loading a module runs it, as importing it would: only files that the person trusts may come here. What it prints goes
# to standard error. A function acts, so that the person is asked before it runs, unless its module lists it as one that
# only reads:  READS = ("get_weather",)  A guess by name would let `get_rid_of_everything` run unasked.
#
# Modules of a folder share what they like through relative imports (`from ._shared import Leg`). Files whose names
# begin with an underscore bring no tools.

READS = "READS"
"""The module's tuple of names of functions that change nothing."""


def read_module(path: Path | str, app: str = "", left_out: list[str] | None = None) -> tuple[Tool, ...]:
    """The tools of a Python file: its public functions, in their order, `Tool`s under public names, and the public
    methods of the objects that it made of its own classes, called `object.method`. Runs the file.

    What begins with an underscore, was imported (unless `__all__` names it) or is a lambda is no tool. A function that
    cannot be read is left out, as is a class of which the file made no object.

    Args:
        left_out: is told of what was left out, and why.

    Raises:
        DefinitionError: no Python file, one that cannot be compiled or raises, defines a public function twice, or of
            which nothing could be read; with file and line.
    """
    path = Path(path)
    if path.suffix != ".py":
        raise DefinitionError(f"{path}: expected a Python file, its name ending in .py")
    try:
        source = path.read_bytes()
    except OSError as error:
        raise DefinitionError(f"{path}: cannot be read: {error.strerror}") from None
    package = _home(path) or new_package(path.parent, None)
    return _tools(path, _load(path, package, source), app, [] if left_out is None else left_out)


def read_folder(
    path: Path | str, sources: Sources | None = None, left_out: list[str] | None = None
) -> tuple[Tool, ...]:
    """The tools of an app: those of the folder's modules by name; the app is called as the folder. Runs the modules.

    Args:
        sources: what its files held when they were looked at, to run that and nothing else. left_out: as of
            `read_module`.

    Raises:
        DefinitionError: as `read_module`; or no modules, or one function name in two of them.
    """
    folder = Path(path)
    sources = read_sources(folder) if sources is None else sources
    names = [name for name in sources if "/" not in name and not name.startswith("_")]
    if not names:
        raise DefinitionError(f"{folder}: expected a folder with Python files (names that begin with _ do not count)")
    package, app = new_package(folder, sources), folder.resolve().name
    owners: dict[str, Tool] = {}
    left = [] if left_out is None else left_out
    for file in map(folder.joinpath, sorted(names)):
        for tool in _tools(file, _load(file, package, sources[file.name]), app, left):
            other = owners.setdefault(tool.name, tool)
            if other is not tool:
                where = f"{_file(other)}, line {_line(other)}"
                raise DefinitionError(f"{file}, line {_line(tool)}: {tool.name} is defined in {where} too: rename one")
    return tuple(owners.values())


def _load(path: Path, package: str, source: bytes) -> ModuleType:
    try:
        tree = ast.parse(source, str(path))
        code = compile(tree, str(path), "exec")
    except SyntaxError as error:
        line = f", line {error.lineno}" if error.lineno else ""
        raise DefinitionError(f"{path}{line}: is not Python: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise DefinitionError(f"{path}: is not Python: {error or 'nested too deep'}") from None
    _defined_once(path, tree)
    name = f"{package}.{path.stem}"
    if name in sys.modules:  # another module of the folder imported it
        setattr(sys.modules[name], CHECKERS_IMPORTS, checkers_imports(tree))
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__, module.__package__ = str(path), package
    setattr(module, CHECKERS_IMPORTS, checkers_imports(tree))
    sys.modules[name] = module  # where dataclasses look for the names in their annotations
    try:
        with contextlib.redirect_stdout(sys.stderr):
            exec(code, module.__dict__)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise DefinitionError(_told(path, error)) from None
    return module


def _told(path: Path, error: BaseException) -> str:
    """One line about what a module raised, at the last of its own lines that was being run."""
    own = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    line = f", line {own[-1]}" if own and own[-1] else ""
    told = f"{path}{line}: raises {type(error).__name__} when it is loaded: {' '.join(str(error).split())}".rstrip(": ")
    if isinstance(error, ModuleNotFoundError) and error.name and path.with_name(f"{error.name}.py").exists():
        told += f" (it lies beside: write  from .{error.name} import ...)"
    return told


def _defined_once(path: Path, tree: ast.Module) -> None:
    seen: dict[str, int] = {}
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name.startswith("_"):
            continue
        if any(ast.unparse(each).endswith("overload") for each in node.decorator_list):
            continue
        first = seen.setdefault(node.name, node.lineno)
        if first != node.lineno:
            raise DefinitionError(
                f"{path}, line {node.lineno}: {node.name} is defined in line {first} already: rename one"
            )


def _home(path: Path) -> str | None:
    """The installed package that a file belongs to, by its full name, so that its own imports work; None for others."""
    folder = path.resolve().parent
    names: list[str] = []
    while (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    return ".".join(names) if names and any(Path(each or ".").resolve() == folder for each in sys.path) else None


def _tools(path: Path, module: ModuleType, app: str, left_out: list[str]) -> tuple[Tool, ...]:
    left: list[str] = []
    functions = dict(_functions(path, module, left))
    own = ((name, each) for name, each in vars(module).items() if isinstance(each, Tool) and not name.startswith("_"))
    made = {each.name: each for _, each in own}
    reads, tools = _reads(path, module, functions), list(made.values())
    for name, function in functions.items():
        kind = Kind.CONTEXT if name in reads else Kind.ACTION
        agent = Agent.CONTEXT if kind is Kind.CONTEXT else Agent.TASK
        try:
            tools.append(from_function(function, kind=kind, agent=agent, app=app, name=name, lenient=True))
        except DefinitionError as error:
            left.append(str(error))
    if not tools:
        raise DefinitionError(left[-1] if left else f"{path}: defines no public function: there is nothing to call")
    left_out += left
    return tuple(tools)


def _functions(path: Path, module: ModuleType, left_out: list[str]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Functions, and methods of objects, by the names of their tools."""
    seen: set[int] = set()
    named = getattr(module, "__all__", ())
    objects = {type(each) for each in vars(module).values()}
    for name, found in list(vars(module).items()):
        if name.startswith("_") or id(found) in seen or isinstance(found, Tool):
            continue
        seen.add(id(found))
        own = getattr(found, "__module__", None) == module.__name__
        if inspect.isroutine(found) and (own or name in named):
            called = getattr(found, "__name__", name)
            if own and called not in ("<lambda>", name):
                line = inspect.unwrap(found).__code__.co_firstlineno
                told = f"{name} is really {called}: define it, or give its decorator  functools.wraps"
                left_out.append(f"{path}, line {line}: {told}")
            elif called != "<lambda>":
                yield name, found
        elif isinstance(found, type):
            if own and found not in objects and not _is_data(found) and (methods := _methods(found)):
                left_out.append(
                    f"{path}: class {name}: {methods[0]} and its other methods need an object: write  "
                    f"{name.lower()} = {name}(...)  in the file"
                )
        elif type(found).__module__ == module.__name__ and not _is_data(type(found)):
            yield from ((f"{name}.{method}", getattr(found, method)) for method in _methods(type(found)))


def _methods(kind: type) -> list[str]:
    """The public methods of a class, in the order of their definitions, those that it has from others first."""
    found: dict[str, None] = {}
    for each in reversed(kind.__mro__[:-1]):
        found |= {
            name: None
            for name, value in vars(each).items()
            if not name.startswith("_") and inspect.isroutine(getattr(value, "__func__", value))
        }
    return list(found)


def _is_data(kind: type) -> bool:
    """Whether a class holds values alone: its methods are about them."""
    kinds = (enum.Enum, BaseException)
    fields = hasattr(kind, "_fields") or hasattr(kind, "model_fields")  # a named tuple, a model of pydantic's
    return fields or issubclass(kind, kinds) or dataclasses.is_dataclass(kind) or is_typeddict(kind)


def _reads(path: Path, module: ModuleType, functions: Iterable[str]) -> Sequence[str]:
    reads = getattr(module, READS, ())
    if not isinstance(reads, list | tuple | set | frozenset) or not all(isinstance(each, str) for each in reads):
        raise DefinitionError(f'{path}: expected {READS} as names of functions:  {READS} = ("get_weather",)')
    unknown = sorted(set(reads) - set(functions))
    if unknown:
        raise DefinitionError(f"{path}: {READS} names {unknown[0]}, which is no public function of this file")
    return tuple(reads)


def _line(tool: Tool) -> int:
    code = getattr(inspect.unwrap(tool.function), "__code__", None) if tool.function else None
    return int(code.co_firstlineno) if code else 1


def _file(tool: Tool) -> str:
    code = getattr(inspect.unwrap(tool.function), "__code__", None) if tool.function else None
    return str(code.co_filename) if code else tool.name


Sources = Mapping[str, bytes]
"""What the Python files of a folder hold, by path inside it (`trips.py`, `shared/legs.py`)."""

_NUMBERS = itertools.count()


def read_sources(folder: Path) -> Sources:
    """Every Python file that a module of the folder could import; empty where it is no folder.

    Raises:
        DefinitionError: a file cannot be read.
    """
    found = {}
    for path in sorted(folder.rglob("*.py")):
        inside = path.relative_to(folder)
        *folders, _ = inside.parts
        if all(each.isidentifier() for each in folders) and path.is_file():
            try:
                found[inside.as_posix()] = path.read_bytes()
            except OSError as error:
                raise DefinitionError(f"{path}: cannot be read: {error.strerror}") from None
    return found


def hashes(sources: Sources) -> dict[str, str]:
    """The SHA-256 of each file."""
    return {name: hashlib.sha256(content).hexdigest() for name, content in sources.items()}


def changed(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """The files that are other ones, new or gone."""
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


def new_package(folder: Path, sources: Sources | None) -> str:
    """The name of a package of these files, a new one for each reading, so that what was changed since is read anew.

    Args:
        sources: None for what lies in the folder when it is imported.
    """
    name = f"camphor_functions_{next(_NUMBERS)}"
    package = ModuleType(name)
    package.__path__ = [] if sources is not None else [str(folder)]
    sys.modules[name] = package
    if sources is not None:
        sys.meta_path.append(_Importer(name, folder, sources))
    return name


class _Importer(MetaPathFinder, Loader):
    """Imports the modules of one package from what was read."""

    def __init__(self, package: str, folder: Path, sources: Sources) -> None:
        self._package, self._folder, self._sources = package, folder, sources

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not name.startswith(self._package + "."):
            return None
        inside = name.removeprefix(self._package + ".").replace(".", "/")
        for file, is_package in ((f"{inside}/__init__.py", True), (f"{inside}.py", False)):
            if file in self._sources:
                spec = ModuleSpec(name, self, origin=str(self._folder / file), is_package=is_package, loader_state=file)
                spec.has_location = True
                return spec
        is_folder = any(file.startswith(inside + "/") for file in self._sources)
        return ModuleSpec(name, self, is_package=True) if is_folder else None

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        if spec is not None and spec.loader_state is not None:
            code = compile(self._sources[spec.loader_state], str(spec.origin), "exec")
            exec(code, module.__dict__)
