"""`python -m camphor_lab.training CONFIG.toml [--fresh]`: train, or go on with training, and print how it goes."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from camphor.errors import CamphorError
from camphor_lab.training import is_first_process, run

if TYPE_CHECKING:
    from camphor_lab.training.loop import Progress


def show(progress: Progress) -> None:
    stage = f"stage {progress.stage}/{progress.stages}  " if progress.stages > 1 else ""
    print(
        f"{stage}step {progress.step:5d}  {progress.fraction:6.1%}  loss {progress.loss:.4f}  rate "
        f"{progress.rate:.2e}  {progress.tokens_per_second:6.0f} tokens/s  {progress.eta_seconds / 60:5.1f} min left",
        flush=True,
    )


def show_encoding(part: float) -> None:
    if part == 1 or sys.stdout.isatty():
        print(f"definitions encoded: {part:6.1%}", end="\n" if part == 1 else "\r", flush=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m camphor_lab.training", description="Train a LoRA adapter, in one stage or several."
    )
    parser.add_argument("config", help="a TOML file (camphor_lab.training.config)")
    parser.add_argument("--fresh", action="store_true", help="start afresh where a checkpoint exists")
    parser.add_argument("--model", default="", help="in place of the file's: a GGUF file, a folder or hf:NAME")
    parser.add_argument("--out", default="", help="in place of the file's: the adapter's folder")
    given = parser.parse_args(arguments)
    try:
        folder = run(
            given.config,
            resume=not given.fresh,
            progress=show,
            encoding=show_encoding,
            begun=print,
            model=given.model,
            out=given.out,
        )
    except CamphorError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    except KeyboardInterrupt:
        print("stopped; the same command goes on from the last checkpoint", file=sys.stderr)
        return 1
    if is_first_process():
        print(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
