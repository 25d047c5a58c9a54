"""Whether there is memory for a model, asked before llama.cpp is, which ends the process where there is none."""

from __future__ import annotations

from pathlib import Path

from camphor.errors import ModelError

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
