"""Whether llama.cpp runs here at all, found out in a child process that may die, and with which settings.

llama.cpp is compiled on the machine that installs it, and may be run on another; compilers make mistakes; memory may
be too little. What then happens kills the process without a word. So before the first use after an install, an upgrade
or a move to another processor a child process opens the model and writes a known completion (a second). Where it dies,
safer settings are tried in turn; what works is remembered (`selftest.json` in the cache folder) and used from then on.

This module loads no library: it must outlive what it examines.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from camphor import __version__
from camphor.errors import CamphorError, ModelError, ModelMissing
from camphor.models.facts import Facts, file_stamp

FORM = 1
"""Raised when what was remembered is to be found out again."""
FILE = "selftest.json"
LIMIT = 30.0
"""Seconds for one child process; on a machine at rest it takes less than one."""
TEXT = "One, two, three, four, five, six, seven, eight, nine, ten.\nOne, two, three, four,"
KNOWN = [2531, 28, 2976, 28, 4962, 28, 4475, 28]
"""What the embedded model writes after it: five, six, seven, eight. Each token leads the second by 4 or more, which no
processor's rounding overturns."""


@dataclass(frozen=True)
class LoadSettings:
    """How a model is run. `threads`: the most, where there is a limit. `mapped`: the file is mapped into memory."""

    name: str
    threads: int | None = None
    mapped: bool = True

    def most(self, threads: int) -> int:
        return threads if self.threads is None else min(threads, self.threads)


USUAL = LoadSettings("the usual settings")
TRIED = (
    USUAL,
    LoadSettings("one thread", 1),
    LoadSettings("one thread, the file not mapped into memory", 1, mapped=False),
)


@dataclass(frozen=True)
class SelftestVerdict:
    """What was found. `deaths`: what became of settings tried before these. `seconds`: it took; 0 if remembered."""

    settings: LoadSettings
    deaths: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def notice(self) -> str:
        """One sentence for the person where not all is as usual, or ""."""
        if self.settings == USUAL:
            return ""
        return f"The language model runs with safe settings ({self.settings.name}): otherwise {self.deaths[0]}"


@dataclass
class ChildRun:
    """One child process: what it said, in order, and how it ended."""

    said: list[dict[str, Any]] = field(default_factory=list)
    death: str = ""
    """What became of it, in words that follow "it"; "" where all went well."""
    number: int = 0
    """The signal or exit status it died of."""
    plain: bool = False
    """It failed by an ordinary error, which whoever opens the model meets too."""

    @property
    def reached(self) -> str:
        return str(self.said[-1]["stage"]) if self.said else ""


def find_settings(
    base: Path | None,
    model: Path,
    threads: int,
    folder: Path | None,
    afresh: bool = False,
    limit: float = LIMIT,
) -> SelftestVerdict:
    """The settings with which llama.cpp runs on this machine.

    Args:
        base: the embedded model, of which is known what it writes. model: the file that is to be opened, the same or
        another. threads: with which it would be run. folder: where the verdict is remembered; None for this process
        only. afresh: test whatever is remembered. limit: seconds for each of the settings.

    Raises:
        ModelError: it runs with no settings; says what it died of and what to do. ModelMissing: it runs, but dies of
        this file.
    """
    key = _key(base, model)
    facts = Facts(folder and folder / FILE)
    known = None if afresh else _remembered(facts.get(key)) or _here.get(key)
    if known is not None:
        return known
    facts.forget(key)  # also where it dies now
    verdict = _try_all(base, model, threads, limit)
    if verdict is None:  # the usual settings, with which the model's own error comes to light
        return SelftestVerdict(USUAL)
    _here[key] = verdict
    facts.put(key, {"settings": verdict.settings.name, "deaths": list(verdict.deaths)})
    return verdict


_here: dict[str, SelftestVerdict] = {}


def _try_all(base: Path | None, model: Path, threads: int, limit: float) -> SelftestVerdict | None:
    started = time.perf_counter()
    attempts: list[ChildRun] = []
    for settings in TRIED:
        if attempts and attempts[-1].plain and settings.mapped:
            continue  # fewer threads do not help against an error that was told
        attempt = _attempt(base, model, settings, threads, limit)
        if not attempt.death:
            deaths = tuple(f"it {each.death}" for each in attempts)
            return SelftestVerdict(settings, deaths, round(time.perf_counter() - started, 2))
        attempts.append(attempt)
    if all(each.plain for each in attempts):
        return None
    raise _nothing_works(next(each for each in attempts if not each.plain), base, model)


def _attempt(base: Path | None, model: Path, settings: LoadSettings, threads: int, limit: float) -> ChildRun:
    """Run the child process once."""
    task = {
        "base": str(base) if base else None,
        "model": str(model),
        "threads": settings.most(threads),
        "mapped": settings.mapped,
        "settings": TRIED.index(settings),
    }
    root = str(Path(__file__).parents[2])
    code = f"import sys; sys.path.append({root!r}); from camphor.models.selftest import tell_all; tell_all()"
    command = [sys.executable, "-P", "-c", code, json.dumps(task)]
    try:
        ended = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=limit,
            check=False,
            text=True,
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        return ChildRun(death=f"did not end within {limit:.0f} seconds")
    except OSError:  # no Python to start, as in some packaged programs: nothing can be told beforehand
        return ChildRun()
    attempt = ChildRun(_said(ended.stdout), number=ended.returncode)
    if ended.returncode == 0:
        attempt.death = _mistake(attempt.said)
    elif attempt.reached == "error":
        attempt.death, attempt.plain = f"failed ({attempt.said[-1]['error']})", True
    else:
        attempt.death = death(ended.returncode)
    return attempt


def _said(out: str) -> list[dict[str, Any]]:
    said = []
    for line in out.splitlines():
        try:
            read = json.loads(line)
        except ValueError:
            continue
        if isinstance(read, dict) and "stage" in read:
            said.append(read)
    return said


def _mistake(said: list[dict[str, Any]]) -> str:
    for each in said:
        if (each["stage"] == "base" and each.get("tokens") != KNOWN) or not each.get("finite", True):
            return "computed wrongly"
    return ""


def death(status: int) -> str:
    """What a process died of, from its exit status, in words that follow "it"."""
    windows = {0xC000001D: "SIGILL", 0xC0000005: "SIGSEGV", 0xC0000409: "SIGABRT"}
    try:
        name = windows.get(status & 0xFFFFFFFF) or signal.Signals(-status).name
    except ValueError:
        return f"ended with status {status}"
    said = {
        "SIGILL": "executed an instruction that this processor does not have",
        "SIGSEGV": "ended in a segmentation fault",
        "SIGBUS": "read memory that is not there",
        "SIGKILL": "was killed by the system",
    }.get(name, "was ended")
    return f"{said} ({name})"


def _nothing_works(attempt: ChildRun, base: Path | None, model: Path) -> ModelError:
    if attempt.reached == "base" and model != base:
        return ModelMissing(
            f"{model}: llama.cpp {attempt.death} when it opened this file, while it runs the model that comes with "
            "camphor: the file is damaged, or of a kind that it cannot run: get it again, or name another"
        )
    return ModelError(
        f"llama.cpp does not run on this machine: it {attempt.death}, also with safe settings: {_advice(attempt)}"
    )


def _advice(attempt: ChildRun) -> str:
    if attempt.number == -9:
        return "memory has most likely run out: close other programs, as 500 MB must be free"
    if "within" in attempt.death:
        return f"try again when the machine is less busy, or compile it anew: {rebuild()}"
    return f"compile it anew on this machine: {rebuild()}"


def rebuild() -> str:
    """The command that compiles llama.cpp anew, and what is missing for it."""
    command = "run  pip install --no-cache-dir --force-reinstall --no-deps llama-cpp-python"
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        command += f"=={importlib.metadata.version('llama-cpp-python')}"
    if any(shutil.which(name) for name in ("c++", "g++", "clang++", "cl")):
        return command
    return f"{command}  (it needs a C++ compiler, and there is none here: on Debian  apt-get install g++)"


def _remembered(known: Any) -> SelftestVerdict | None:
    if not isinstance(known, dict) or not isinstance(known.get("deaths"), list):
        return None
    deaths = tuple(str(each)[:300] for each in known["deaths"])
    for settings in TRIED:
        if settings.name == known.get("settings") and (deaths or settings == USUAL):
            return SelftestVerdict(settings, deaths)
    return None


def _key(base: Path | None, model: Path) -> str:
    """What a verdict holds for: this processor, these libraries, this version, and this file unless it is camphor's."""
    from camphor.models.merge import SUFFIX

    if model == base:
        what: Any = "base"
    elif base is not None and model.name.endswith(SUFFIX):
        what = "merged"  # its content is verified elsewhere
    else:
        try:
            what = [str(model), *file_stamp(model)]
        except OSError:
            what = str(model)
    told = json.dumps([FORM, __version__, processor(), _libraries(), what])
    return hashlib.sha256(told.encode()).hexdigest()[:32]


@functools.cache
def processor() -> str:
    """The processor with the instructions it has, in the system's words."""
    told = [platform.system(), platform.machine(), platform.processor()]
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            block = file.read(16_384).split("\n\n")[0]  # the first of them
    except OSError:
        return " ".join(told)
    # A clock's rate changes all the time, and everything else that is told of one processor stays.
    kept = ("vendor_id", "cpu family", "model", "stepping", "flags", "features", "cpu ")
    return " ".join([*told, *(line for line in block.splitlines() if line.lower().startswith(kept))])


@functools.cache
def _libraries() -> list[list[Any]]:
    """llama.cpp's shared libraries as they lie on the disk."""
    found = importlib.util.find_spec("llama_cpp")  # finds the folder without importing the package
    if found is None or found.origin is None:
        return []
    folder = Path(found.origin).with_name("lib")
    return sorted([each.name, *file_stamp(each)] for each in folder.glob("*") if each.is_file())


# The child process: opens models, writes a few tokens with each, and may die of it.
#
# Its one argument is a JSON object, and each thing it gets done is a JSON object on a line of its own.

CONTEXT = 128
FAULT = "CAMPHOR_SELFTEST_FAULT"
"""Set by tests: `SIGSEGV:0,1` ends the process by that signal with the first and second settings that are tried;
`SIGSEGV@model:0` only when it comes to the file that is to be opened. `wrong` and `asleep` in the signal's place have
it write other tokens, and never end."""


def tell_all() -> None:
    """Status 0 when all was done, 1 when an ordinary error was told."""
    task = json.loads(sys.argv[1])
    _no_core_file()
    os.environ["GGML_NO_BACKTRACE"] = "1"  # else llama.cpp starts a debugger as it dies
    fault = _fault(task["settings"])
    try:
        _tell("begun")
        from camphor.models.native import LlamaEngine

        _tell("loaded")
        for stage in ("base", "model"):
            path = task[stage]
            if path is None or (stage == "model" and path == task["base"]):
                continue
            _die_of(fault, stage)
            with contextlib.closing(LlamaEngine(Path(path), None, CONTEXT, task["threads"], task["mapped"])) as engine:
                engine.use_threads(task["threads"])  # also on a busy machine, where fewer would begin
                _tell(stage, **_written(engine, fault))
    except (CamphorError, ImportError, OSError, RuntimeError) as error:
        _tell("error", error=" ".join(str(error).split())[:300])
        sys.exit(1)


def _written(engine: Any, fault: str) -> dict[str, Any]:
    engine.align(engine.tokenise(TEXT))
    tokens, finite = [], True
    for _ in KNOWN:
        logits = engine.advance()
        finite = finite and bool((logits - logits.max() > -1e30).all()) and float(logits.std()) > 0
        tokens.append(int(logits.argmax()))
        engine.sequence.append(tokens[-1])
    return {"tokens": tokens[::-1] if fault == "wrong" else tokens, "finite": finite}


def _tell(stage: str, **more: Any) -> None:
    print(json.dumps({"stage": stage, **more}), flush=True)


def _fault(settings: int) -> str:
    kind, _, which = os.environ.get(FAULT, "").partition(":")
    return kind if str(settings) in which.split(",") else ""


def _die_of(fault: str, stage: str) -> None:
    name, _, where = fault.partition("@")
    if name.startswith("SIG") and where in ("", stage):
        os.kill(os.getpid(), signal.Signals[name])
    elif fault == "asleep":
        time.sleep(3600)


def _no_core_file() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
