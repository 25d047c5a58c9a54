"""What a stopped run goes on from: one file, replaced at once, that only a run with the same settings reads.

A checkpoint is a dictionary of plain values and tensors, without classes: `config` as JSON, the fields of `state`, the
`optimizer` as torch has it, `kind` where another trainer than the lean one wrote it, and what the trainer learns.

What a run leaves to read is a log of JSON lines, and the curve drawn from it.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from camphor.errors import UsageError
from camphor.models.function_tokens import Projector
from camphor_lab.training.base import FOLDER_TOKENS, TOKENS, WEIGHTS
from camphor_lab.training.config import ALL, TARGETS, DataFile, TrainConfig
from camphor_lab.training.functions import FunctionVectors

CHECKPOINT, SETTINGS, VECTORS = "checkpoint.pt", "settings.json", "vectors"
# Settings that may differ where a run goes on: they decide when it ends and how it is computed, not its numbers.
_FREE = {
    "init",
    "out",
    "max_minutes",
    "checkpoint_minutes",
    "evaluate_minutes",
    "held_out",
    "held_out_limit",
    "held_out_form",
    "compile",
    "workers",
    "micro_tokens",
    "gradient_checkpointing",
    "decay_from",
    "decay_steps",
    "checkpoint_dtype",
    "adapter_dtype",
}


@dataclass
class State:
    """How far a run is: optimizer steps, the epoch and the batch in it that come next, tokens and seconds used."""

    step: int = 0
    epoch: int = 0
    batch: int = 0
    tokens: int = 0
    seconds: float = 0.0


def write_checkpoint(config: TrainConfig, state: State, learnt: dict[str, Any], path: Path, kind: str = "") -> None:
    """One atomic replacement, forced to disk. `learnt`: tensors and plain values by name; `kind`: of the trainer."""
    named = {"kind": kind} if kind else {}
    buffer = io.BytesIO()
    torch.save({**named, "config": config.to_json(), "state": asdict(state), **learnt}, buffer)
    partial = path.with_suffix(".part")
    with open(partial, "wb") as file:
        file.write(buffer.getbuffer())
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)


_FLAT = ("parameters", "average", "exp_avg", "exp_avg_sq")  # a number for each thing learnt


def shortened(learnt: dict[str, Any]) -> dict[str, Any]:
    """What is learnt, its average and the optimizer's moments in bfloat16: half the file, and a run that goes on from
    it differs by roundings of a part in 256."""

    def short(key: Any, value: Any) -> Any:
        if isinstance(value, dict):
            return {k: short(k, v) for k, v in value.items()}
        return value.to(torch.bfloat16) if key in _FLAT and isinstance(value, torch.Tensor) else value

    return {key: short(key, value) for key, value in learnt.items()}


def read_checkpoint(config: TrainConfig, path: Path, device: Any, kind: str = "") -> tuple[State, dict[str, Any]]:
    """How far the run was, and the whole dictionary, its tensors on that device.

    Raises:
        UsageError: the file is of another kind of trainer, or of a run with other settings; time limit, cadence and
        division of work may differ.
    """
    saved = torch.load(path, map_location=device, weights_only=True)
    other = "trainer" if saved.get("kind", "") != kind else changed(saved["config"], config.to_json())
    if other:
        raise UsageError(f"{path}: made with another {other}: restore the setting or choose another out")
    return State(**saved["state"]), saved


def changed(old: dict[str, Any], new: dict[str, Any]) -> str:
    """Which settings that decide a run's numbers differ; one that `old` does not know yet had its default.

    Data lie where they lay, or as they did beside the run's own folder, which may have come from another machine.
    """
    defaults = TrainConfig("", ()).to_json()

    def plain(settings: dict[str, Any], key: str) -> Any:
        value = json.loads(json.dumps(settings.get(key, defaults[key])))
        if key == "targets" and value == list(TARGETS):  # a Llama's by name, as they were told before there was a word
            return [ALL]
        return [DataFile(**entry).__dict__ for entry in value] if key == "data" else value

    beside = portable(old), portable(new)
    other = [
        key
        for key in new
        if key not in _FREE and plain(old, key) != plain(new, key) and plain(beside[0], key) != plain(beside[1], key)
    ]
    return ", ".join(other)


_PATHS = ("init", "held_out", "model", "mean_with")


def portable(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings with their paths beside the run's own folder, which may go to another machine."""
    out = str(settings["out"])

    def beside(path: Any) -> Any:
        return os.path.relpath(path, out) if isinstance(path, str) and os.path.isabs(path) else path

    data = [{**entry, "path": beside(entry["path"])} for entry in settings["data"]]
    moved = {key: beside(settings[key]) for key in _PATHS if key in settings}
    return {**settings, **moved, "data": data, "out": "."}


def fixed_part(functions: FunctionVectors | None) -> dict[str, Any] | None:
    """What of a run's projector is not learnt, for a checkpoint."""
    if functions is None:
        return None
    fixed = functions.fixed
    return {"mean": torch.from_numpy(fixed.mean), "scale": torch.from_numpy(fixed.scale), "norm": fixed.norm}


def take_fixed_part(functions: FunctionVectors | None, saved: dict[str, Any] | None) -> None:
    """Give a run's projector what `fixed_part` kept."""
    if functions is not None and saved is not None:
        functions.fix(Projector(saved["mean"].cpu().numpy(), saved["scale"].cpu().numpy(), saved["norm"]))


def is_finished(config: TrainConfig) -> bool:
    """Whether a run with these settings has been trained to its end in its folder."""
    folder = Path(config.out)
    try:
        settings = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return (folder / WEIGHTS).exists() and not changed(settings, config.to_json())


def forget(folder: Path) -> None:
    """Delete what a later run in the folder would go on from, or take for finished."""
    for name in (CHECKPOINT, WEIGHTS, TOKENS, FOLDER_TOKENS):
        (folder / name).unlink(missing_ok=True)


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
