"""The settings of a training run, read from a TOML file. Unknown keys are refused.

    out = "runs/first"
    max_minutes = 75
    [[data]]
    path = "samples.jsonl"
    repeat = 2.0

Paths are relative to the file. Only `out` and one `[[data]]` are required.

A recipe of several stages lists them in one file. A `[[stage]]` table overrides what stands at the top; the first
starts from `init`, if there is one, and each other from the one before:

    out = "runs/recipe"
    rank = 32
    [[stage]]
    learning_rate = 1e-3
    data = [{ path = "public.jsonl" }]
    [[stage]]
    learning_rate = 5e-4
    data = [{ path = "ours.jsonl" }, { path = "ours.jsonl", form = "compressed" }]

Stage N is a run in `out`/stage-N, but for the last, whose folder is `out` itself. The same command goes on with a
recipe that was stopped: finished stages are left as they are.
"""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from camphor.agents.calling.prompts import CallForm
from camphor.agents.health.prompts import Writer
from camphor.agents.prompts import Form
from camphor.errors import UsageError

TRAINERS = ("auto", "lean", "transformers")
PROJECTORS = ("none", "rescale", "scale", "linear")  # what they do: functions.py
TARGETS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
ALL = "all"  # as the only target: every linear layer but the output
HUB = "hf:"
SHIPPED = {"assistant": "", "functions": "functions"}  # as `init`: adapters that ship, by purpose
INIT = "init"  # as `mean_with`: what the run starts from
TRANSFORMERS_ONLY = ("quantise", "dropout", "warmup_ratio", "batch_samples", "batch_pairs", "gradient_checkpointing")


@dataclass(frozen=True)
class DataFile:
    """A file of samples, or a dataset: of phones (contract, section 3), of function calling (datasets.calling), of
    implicit queries for the planner (datasets.context) or of cases of the health assistant (datasets.health).

    `repeat` is how often an epoch shows each (2.5: twice all, and another half of them). `form` is how a dataset's
    prompts are written: for phones one of agents.prompts.Form, for function calling of agents.calling.prompts.CallForm,
    where "names" stands for "compact"; the planner has no other; for cases of agents.health.prompts.Writer, whose words
    alone are learnt, where "names" stands for both. `slips` is the share of a dataset's items in which a
    look-up goes to the wrong app first (samples.with_slip), `distractors` of samples of function calling whose prompts
    show functions that they do not need (datasets.calling.shown). `weight` is a factor on the file's losses, for words
    that are few among many: a verdict is one token, a plan sixty.
    """

    path: str
    repeat: float = 1.0
    form: str = "names"
    slips: float = 0.0
    distractors: float = 0.0
    weight: float = 1.0


@dataclass(frozen=True)
class TrainConfig:
    """Defaults suit the embedded 135M model on two CPU cores.

    Attributes:
        out: the adapter's folder; also holds the log, checkpoint, resolved settings and loss curve.
        data: what is learnt.
        held_out: samples that are only scored; `held_out_limit` of them, every `evaluate_minutes`; of a
            dataset, in `held_out_form`.
        model: a GGUF file, a folder in transformers' form or `hf:NAME` on the hub; empty is the embedded one.
        trainer: "lean" for a Llama in a GGUF file, "transformers" for any model (generic.py); "auto" is lean where it
            can be.
        init: whose factors are the start: the folder of an earlier run, a GGUF adapter, or "assistant" or "functions",
            which ship; empty starts from the base model.
        mean_with: the adapter is the mean of what the run learned and of "init" (for a stage, the one before), of an
            earlier "stage-N", or of the adapter in a folder: the noise of the last steps cancels out (weight averaging,
            Izmailov et al. 2018). Lean only.
        targets: the projections that get factors, by the model's own names; ["all"] is every linear layer of its text
            part but the output, for a Llama TARGETS.
        first_layer: layers below it get no factors.
        projector: how the vectors of definitions become function tokens, where the data show some: of
            PROJECTORS, of which "scale" and "linear" are learnt; `projector_rate` times the learning rate.
        vectors_per_tool: function tokens of a definition: 1, its last token's embedding, or 2, with the mean of all.
        schedule: how the rate falls from learning_rate to final_rate * learning_rate: "cosine" or "linear"; "wsd"
            (warm-up, stable, decay) leaves it where it is until step `decay_from` and then falls in `decay_steps`, at
            whose end the run ends. With 0 of them it goes on: a run that goes on from a checkpoint may be given some.
        ema: the adapter is the moving average of the factors, of which each step keeps that part; 0 is none. Lean only.
        epochs, steps, max_minutes: the run ends at whichever comes first; the rate follows the nearest end. 0 steps or
            minutes are no such end; minutes count training time over all resumptions.
        batch_tokens: tokens that one optimizer step computes; micro_tokens of one pass (memory: about 0.5 MB a token).
        together: how many samples with one opening, queries to one phone, stand side by side: what they begin with is
            computed once a pass and counted once in `batch_tokens`, so that a step learns from more of them. 1 leaves
            them where chance puts them. Lean only.
        workers: passes that run side by side, each on one core; 0: one a core, or one on a GPU.
        max_sample_tokens: longer samples are left out, and counted in the log.
        clip: largest norm of the gradient.
        decide_weight: factor on the loss of tokens that name an agent or a tool.
        checkpoint_dtype: what a checkpoint keeps its numbers in: "bfloat16" is half the size, and the run that goes on
            from it differs by roundings. adapter_dtype: the same of the adapter, in peft's form, that a run leaves.
        dtype: of products and activations: "bfloat16" or "float32".
        compile: fuse what surrounds the products: "auto" by the extension of fused.py or else as "yes", by torch's
            compiler, where one of C++ is found; lean only, as is `workers`.

    With transformers only:
        quantise: "nf4" holds the base model in 4 bits, its scales quantised too (QLoRA); needs a GPU.
        dropout: of what goes into the factors.
        warmup_ratio: the warm-up as a part of all steps, in place of `warmup_steps`; 0 leaves it to them.
        batch_samples: samples of one optimizer step, in place of `batch_tokens`; 0 leaves it to them.
        batch_pairs: the same told in prompt-completion pairs, as papers do: the number of samples follows from the mean
            pairs that the data's samples have; 0 leaves it to the others.
        gradient_checkpointing: keep less between the passes and compute it twice.
    """

    out: str
    data: tuple[DataFile, ...]
    held_out: str = ""
    held_out_limit: int = 64
    held_out_form: str = "names"
    model: str = ""
    init: str = ""
    mean_with: str = ""
    rank: int = 32
    alpha: float = 64.0
    targets: tuple[str, ...] = (ALL,)
    first_layer: int = 0
    projector: str = "linear"
    projector_rate: float = 0.3
    vectors_per_tool: int = 1
    learning_rate: float = 1e-3
    final_rate: float = 0.1
    schedule: str = "cosine"
    decay_from: int = 0
    decay_steps: int = 0
    ema: float = 0.0
    warmup_steps: int = 20
    epochs: float = 1.0
    steps: int = 0
    max_minutes: float = 0.0
    batch_tokens: int = 4096
    micro_tokens: int = 1024
    together: int = 1
    workers: int = 0
    max_sample_tokens: int = 2048
    clip: float = 1.0
    decide_weight: float = 1.0
    seed: int = 0
    checkpoint_minutes: float = 5.0
    checkpoint_dtype: str = "float32"
    adapter_dtype: str = "float32"
    evaluate_minutes: float = 10.0
    dtype: str = "bfloat16"
    compile: str = "auto"
    trainer: str = "auto"
    quantise: str = ""
    dropout: float = 0.0
    warmup_ratio: float = 0.0
    batch_samples: int = 0
    batch_pairs: int = 0
    gradient_checkpointing: bool = False

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


def load_stages(path: str | Path, model: str = "", out: str = "") -> tuple[TrainConfig, ...]:
    """Read a TOML file: the settings of each stage in order, a single one where the file names none.

    Args:
        model, out: in place of the file's, where they are given; paths from where the program runs.

    Raises:
        UsageError: it is missing, not TOML, or a key is unknown, missing or of the wrong kind; names the key.
    """
    path = Path(path)
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not a TOML file: {error}") from error
    model = str(Path(model).resolve()) if model and not model.startswith(HUB) else model
    given = {"model": model, "out": str(Path(out).resolve()) if out else ""}
    return parse_stages({**raw, **{key: value for key, value in given.items() if value}}, str(path), path.parent)


def check_data_is_there(stages: Sequence[TrainConfig], settings: Path) -> None:
    """Raises: UsageError, a file to learn from is missing; names the command at the settings' head that makes it."""
    missing = next((Path(file.path) for config in stages for file in config.data if not Path(file.path).exists()), None)
    if missing is None:
        return
    head = re.match(r"(?:#.*\n)*", settings.read_text(encoding="utf-8").replace("\\\n#", ""))
    made = [" ".join(line[1:].split()) for line in (head[0] if head else "").splitlines() if "camphor lab data" in line]
    folder = missing.parent.parts
    for command in made:
        if any(word.parts == folder[-len(word.parts) :] for word in map(Path, command.split()) if word.parts):
            raise UsageError(f"{missing}: there is no such file: make it with  {command}")
    advice = f"the commands that make the data stand at the head of {settings}" if made else "make it, or name another"
    raise UsageError(f"{missing}: there is no such file: {advice}")


def parse_stages(raw: Mapping[str, Any], name: str = "config", folder: Path = Path()) -> tuple[TrainConfig, ...]:
    """The stages of a table of settings; paths as in `parse_config`."""
    common = {key: value for key, value in raw.items() if key != "stage"}
    tables = raw.get("stage", [{}])
    if not isinstance(tables, list) or not tables or not all(isinstance(table, Mapping) for table in tables):
        raise UsageError(f"{name}: stage: expected [[stage]] tables")
    stages: list[TrainConfig] = []
    for number, table in enumerate(tables, 1):
        where = f"{name}: stage {number}" if "stage" in raw else name
        if fixed := {"out", "init"} & table.keys():
            raise UsageError(f"{where}: {fixed.pop()} stands at the top: stages follow one another")
        earlier = {f"stage-{place}": stage.out for place, stage in enumerate(stages, 1)}
        config = parse_config({**common, **table}, where, folder, earlier)
        if stages:
            config = dataclasses.replace(config, init=stages[-1].out)
        if number < len(tables):
            config = dataclasses.replace(config, out=str(Path(config.out) / f"stage-{number}"))
        stages.append(config)
    return tuple(stages)


def parse_config(
    raw: Mapping[str, Any], name: str = "config", folder: Path = Path(), stages: Mapping[str, str] | None = None
) -> TrainConfig:
    """Check a table of settings and make its paths absolute against `folder`; `stages` are folders of earlier ones."""
    values = dict(_checked(raw, TrainConfig, name))
    values["data"] = tuple(_data_file(entry, f"{name}: data", folder) for entry in raw["data"])
    for key in ("out", "held_out", "model", "init"):
        named = (key == "model" and values.get(key, "").startswith(HUB)) or (
            key == "init" and values.get(key) in SHIPPED
        )
        if values.get(key) and not named:
            values[key] = str((folder / values[key]).resolve())
    if (other := values.get("mean_with")) and other != INIT:
        if re.fullmatch(r"stage-\d+", other) and other not in (stages or {}):
            raise UsageError(f'{name}: mean_with = "{other}": expected an earlier stage, "init" or a folder')
        values["mean_with"] = (stages or {}).get(other) or str((folder / other).resolve())
    if "targets" in values:
        values["targets"] = tuple(values["targets"])
    config = TrainConfig(**values)
    _check_ranges(config, name)
    return config


def _data_file(entry: Any, name: str, folder: Path) -> DataFile:
    if not isinstance(entry, Mapping):
        raise UsageError(f"{name}: expected a table with a path")
    values = _checked(entry, DataFile, name)
    return DataFile(**{**values, "path": str((folder / values["path"]).resolve())})


def _checked(raw: Mapping[str, Any], kind: type, name: str) -> dict[str, Any]:
    """The values with whole numbers made floats where floats are due."""
    fields = {f.name: f for f in dataclasses.fields(kind)}
    for key in raw:
        if key not in fields:
            raise UsageError(f"{name}: unknown key {json.dumps(key)}: known are {', '.join(fields)}")
    values = {}
    for key, field in fields.items():
        if key not in raw:
            if field.default is dataclasses.MISSING:
                raise UsageError(f"{name}: {key} is missing")
            continue
        kinds = {"str": (str,), "int": (int,), "float": (int, float), "bool": (bool,)}
        want = kinds.get(str(field.type), (list, tuple))
        if not isinstance(raw[key], want) or (isinstance(raw[key], bool) and bool not in want):
            raise UsageError(f"{name}: {key} = {raw[key]!r}: expected {field.type}")
        values[key] = float(raw[key]) if want == (int, float) else raw[key]
    return values


_ABOVE_ZERO = (
    "rank",
    "alpha",
    "learning_rate",
    "epochs",
    "batch_tokens",
    "micro_tokens",
    "together",
    "max_sample_tokens",
    "clip",
    "projector_rate",
    "decide_weight",
)
_FORMS = tuple(form.value for form in (*Form, *CallForm, *Writer))
_CHOICES: dict[str, tuple[str | int, ...]] = {
    "schedule": ("cosine", "linear", "wsd"),
    "dtype": ("bfloat16", "float32"),
    "checkpoint_dtype": ("bfloat16", "float32"),
    "adapter_dtype": ("float16", "float32"),
    "compile": ("auto", "yes", "no"),
    "projector": PROJECTORS,
    "vectors_per_tool": (1, 2),
    "held_out_form": _FORMS,
    "trainer": TRAINERS,
    "quantise": ("", "nf4"),
}


def _check_ranges(config: TrainConfig, name: str) -> None:
    def expect(key: str, right: bool, expected: str) -> None:
        if not right:
            raise UsageError(f"{name}: {key} = {getattr(config, key)!r}: expected {expected}")

    for key in _ABOVE_ZERO:
        expect(key, getattr(config, key) > 0, "a number above 0")
    _check_data(config.data, name)
    _check_targets(config, name)
    for key in ("steps", "batch_samples", "batch_pairs", "decay_from", "decay_steps"):
        expect(key, getattr(config, key) >= 0, "0 or more")
    expect("batch_pairs", not (config.batch_pairs and config.batch_samples), "one of it and batch_samples, not both")
    for key in ("dropout", "warmup_ratio", "ema"):
        expect(key, 0 <= getattr(config, key) < 1, "0 or more, and less than 1")
    for key, allowed in _CHOICES.items():
        expect(key, getattr(config, key) in allowed, f"one of {', '.join(map(str, allowed))}")


def _check_data(files: Sequence[DataFile], name: str) -> None:
    if not files:
        raise UsageError(f"{name}: data is empty: expected at least one [[data]] table")
    if wrong_form := next((file.form for file in files if file.form not in _FORMS), ""):
        raise UsageError(f"{name}: data: form = {wrong_form!r}: expected one of {', '.join(_FORMS)}")
    if any(file.repeat < 0 for file in files):
        raise UsageError(f"{name}: data: repeat must not be below 0")
    if any(file.weight <= 0 for file in files):
        raise UsageError(f"{name}: data: weight must be above 0")
    for key in ("slips", "distractors"):
        if any(not 0 <= getattr(file, key) <= 1 for file in files):
            raise UsageError(f"{name}: data: {key} is a share: expected 0 to 1")


def _check_targets(config: TrainConfig, name: str) -> None:
    """Of models other than a Llama in a GGUF file the names are known only when they are opened."""
    if not config.targets:
        raise UsageError(f"{name}: targets is empty: expected some of {', '.join(TARGETS)}")
    own_names = config.trainer == "transformers" or (config.model and not config.model.endswith(".gguf"))
    unknown = [target for target in config.targets if target not in TARGETS]
    if unknown and not own_names and config.targets != (ALL,):
        raise UsageError(
            f"{name}: targets: expected some of {', '.join(TARGETS)}, or {ALL} alone, not {unknown}: a model with "
            'others needs trainer = "transformers"'
        )
