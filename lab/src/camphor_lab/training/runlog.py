"""What a training run leaves to read: a log of JSON lines, and the curve drawn from it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

LOG, CURVE = "log.jsonl", "loss.png"


class Log:
    """JSON lines. On resumption, what was logged after the checkpoint's step is cut off: it will be done again."""

    def __init__(self, path: Path, step: int) -> None:
        kept = [line for line in read_log(path) if line.get("step", 0) <= step] if step else []
        partial = path.with_suffix(".part")
        partial.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")
        os.replace(partial, path)
        self._file = open(path, "a", encoding="utf-8", buffering=1)  # noqa: SIM115  (closed by close)

    def write(self, **values: Any) -> None:
        self._file.write(json.dumps(values) + "\n")

    def close(self) -> None:
        self._file.close()


class NoLog(Log):
    """For the processes of a run that do not write: the first one's log tells of all."""

    def __init__(self) -> None:
        pass

    def write(self, **values: Any) -> None:
        pass

    def close(self) -> None:
        pass


def read_log(path: Path) -> list[dict[str, Any]]:
    """The log's lines; a last line that was cut off by a crash is left out."""
    lines = []
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                lines.append(json.loads(line))
            except ValueError:
                continue
    return lines


def draw_curve(folder: Path) -> None:
    """Draw the log's losses, per step and held out, over tokens."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator

    lines = read_log(folder / LOG)
    steps = [line for line in lines if "loss" in line]
    seen = {line["step"]: line["tokens"] for line in steps}
    held = [(seen.get(line["step"], 0), line["held_out"]["loss"]) for line in lines if "held_out" in line]
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    tokens, losses = [s["tokens"] / 1e6 for s in steps], [s["loss"] for s in steps]
    axes.plot(tokens, losses, linewidth=0.6, color="#b9c6d6", label="training, each step")
    axes.plot(tokens, _smooth(losses), linewidth=1.8, color="#1f4e8c", label="training, running mean")
    if held:
        axes.plot([t / 1e6 for t, _ in held], [value for _, value in held], "o-", color="#c1561c", label="held out")
    axes.set(xlabel="million tokens", ylabel="loss per trained token (nats)", yscale="log")
    axes.yaxis.set_minor_locator(LogLocator(subs=(2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("{x:g}")
    axes.legend()
    figure.savefig(folder / CURVE, dpi=120)


def _smooth(values: Sequence[float]) -> list[float]:
    """The mean of each value and those around it: a fortieth of the run to either side."""
    width = max(1, len(values) // 40)
    parts = (values[max(0, at - width) : at + width + 1] for at in range(len(values)))
    return [sum(part) / len(part) for part in parts]
