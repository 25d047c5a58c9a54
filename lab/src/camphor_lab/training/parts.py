"""Training of what tells the parts of a query apart: changes of low rank in the reader's encoder, and an end.

Clauses of known kinds are few and written one by one; they are read most often. Hand-written queries say of themselves
only whether they act: of one that does, some clause is a wish, and of one that does not, none is. Frames around orders
("I decided not to ...") teach the structure with verbs that the statements lack. One in ten texts is held out: from
those the floors are taken.
"""

from __future__ import annotations

import hashlib
import random
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from camphor.agents.parts import ACTS, KINDS, OTHER, PartKind, PartModel, cut, orders, windows, words_of
from camphor.errors import UsageError
from camphor.retrieval.reading.reader import read_reader
from camphor.trajectories.items import read_items
from camphor_lab.training.low_rank import changes_of, low_rank, numbers, share_of_rate
from camphor_lab.training.small_models import HELD_OUT, Progress, drawn_batches, held_out, need, read_lines, save

Spans = tuple[tuple[int, int], ...]
_WISH = KINDS.index(PartKind.WISH)
_OPENING = re.compile(r"^(?:please|pls|can you|could you|would you|hey|ok|just)[, ]+", re.IGNORECASE)
_LONGEST_ORDER = 16  # words
_TOGETHER = 20  # neighbouring lines of a file, which may be twins, are held out or learnt together
_LEAST = 1e-6
_BESIDE = 0.3  # weight of the acts' loss
_RARE = -3.0  # log-odds of an act to begin with


@dataclass(frozen=True)
class PartsConfig:
    """Settings. `rank`, `layers`: of the changes. `stated`, `framed`, `asked`, `generated`: how often a statement, a
    frame, a plain question and a generated query are read, where a hand-written query that acts is read once in an
    epoch. `frames`: made of each order. `texts`: of a step, of like lengths among `drawn` times as many. `lost`: share
    of the queries that act which may be taken for asking nothing. `doubted`, `doubted_others`, `doubted_acts`: share
    which may be doubted, of those that begin as an order does, of the others, and of those that ask for one of `ACTS`.
    """

    rank: int = 64
    layers: int = 6
    epochs: float = 2.0
    rate: float = 1e-3
    decay: float = 0.02
    dropout: float = 0.1
    warm_up: float = 0.06
    stated: float = 3.0
    framed: float = 0.25
    asked: float = 0.25
    generated: float = 0.7
    frames: int = 3
    texts: int = 32
    drawn: int = 16
    lost: float = 0.004
    doubted: float = 0.002
    doubted_others: float = 0.25
    doubted_acts: float = 0.05
    seed: int = 1


@dataclass(frozen=True)
class Text:
    """A sentence with its clauses' kinds (None where that is not known), what of `ACTS` it asks for, how often it is
    read, and whether it is held out."""

    text: str
    spans: Spans
    kinds: tuple[PartKind | None, ...]
    acts: frozenset[str]
    held: bool
    share: float = 1.0
    follows: bool = False
    stated: bool = False


def train_parts(
    statements: Sequence[Path],
    written: Sequence[Path],
    asked: Sequence[Path],
    out: Path,
    config: PartsConfig,
    progress: Progress,
    generated: Sequence[Path] = (),
) -> dict[str, Any]:
    """Train on statements and hand-written queries, and write the model.

    Args:
        statements: lines of `{"text", "parts": [{"text", "kind"}], "acts"}`, with `follows` where it is a reply in a
            talk. written: hand-written sets.
        asked: files of questions that ask to be told something and for nothing else.
        generated: queries of `camphor lab data generate`, which teach the plain orders; none is held out.
        progress: told of what, how much of how much is done.

    Returns:
        What the model tells about itself: settings, hash of the data, and figures of what was held out.

    Raises:
        DatasetError: a file breaks the format. UsageError: too few texts, or the file cannot be written.
        MissingExtra: torch is not installed. ModelMissing: there is no reader.
    """
    need("torch", "torch, which train-parts needs,")
    texts, digest = _read(statements, written, asked, generated, config)
    if not any(each.stated and not each.acts for each in texts) or not any(each.acts for each in texts):
        raise UsageError("the data hold no statements, or no wishes: give statements and hand-written sets")
    model = _fit([each for each in texts if not each.held], config, progress)
    held: dict[str, list[tuple[float, bool]]] = {"acts": [], "statements": [], "wishes": []}
    for each in texts:
        if each.held and (each.stated or each.acts) and each.share != config.framed:
            kind = "acts" if not each.stated else "wishes" if each.acts else "statements"
            held[kind].append(_most_wishful(each, model))
    if not held["acts"]:
        raise UsageError("too few queries that act: none is held out for the floors")
    floors, act_floors = (
        _floors(held["acts"], config),
        _act_floors([each for each in texts if each.held], model, config),
    )
    figures: dict[str, float] = {"texts": sum(map(len, held.values()))}
    for name, found in held.items():
        figures[f"{name}_refused"] = _mean([wish < floors[0] for wish, _ in found])
        figures[f"{name}_doubted"] = _mean([wish < floors[1 if order else 2] for wish, order in found])
    about = {"data": digest, "texts": len(texts), "settings": asdict(config), "held_out": figures}
    save(replace(model, floors=floors, act_floors=act_floors, about=about), out)
    return about


def _mean(values: Sequence[bool]) -> float:
    return float(np.mean(values)) if values else 0.0


def _most_wishful(text: Text, model: PartModel) -> tuple[float, bool]:
    """The highest chance of a wish among the clauses, and whether that clause begins as an order does."""
    chances = model.chances(text.text, text.spans, text.follows)[0][:, _WISH]
    at = int(np.argmax(chances))
    return float(chances[at]), orders(text.text[slice(*text.spans[at])])


def _floors(asked: Sequence[tuple[float, bool]], config: PartsConfig) -> tuple[float, float, float]:
    ordered, other = ([wish for wish, order in asked if order is which] or [0.0] for which in (True, False))
    least = float(np.quantile([wish for wish, _ in asked], config.lost))
    return (
        least,
        max(least, float(np.quantile(ordered, config.doubted))),
        max(least, float(np.quantile(other, config.doubted_others))),
    )


def _act_floors(texts: Sequence[Text], model: PartModel, config: PartsConfig) -> tuple[float, ...]:
    """Of each act what all but a few of the texts that ask for it reach with some clause."""
    reached: dict[str, list[float]] = {act: [] for act in ACTS}
    for text in texts:
        best = model.chances(text.text, text.spans, text.follows)[1].max(axis=0) if text.acts else ()
        for act, chance in zip(ACTS, best, strict=False):
            reached[act] += [float(chance)] if act in text.acts else []
    return tuple(float(np.quantile(reached[act] or [0.0], config.doubted_acts)) for act in ACTS)


# what is read


def _read(
    statements: Sequence[Path],
    written: Sequence[Path],
    asked: Sequence[Path],
    generated: Sequence[Path],
    config: PartsConfig,
) -> tuple[list[Text], str]:
    lines, whole = read_lines(statements, _statement, '{"text", "parts": [{"text", "kind"}], "acts"}')
    texts = [replace(each, held=held_out(number, _TOGETHER)) for number, each in enumerate(lines)]
    texts = [replace(each, share=config.stated) for each in texts]
    digest = hashlib.sha256(whole)
    for number, path in enumerate((*written, *generated)):
        made = number >= len(written)
        for item in read_items(path):
            tags = set(item.tags)
            kind = PartKind.WISH if item.calls else PartKind.QUESTION if "info_only" in tags else None
            kind = PartKind.THANKS if kind is None and "smalltalk" in tags else kind
            digest.update(f"{item.query}\n{kind}\n".encode())
            if kind is not None:
                acts = _acts(call["name"] for call in item.calls or ())
                held, share = number % HELD_OUT == 0 and not made, config.generated if made else 1.0
                texts.append(_text(item.query, kind, acts, held=held, share=share, follows=bool(item.history)))
    for number, path in enumerate(asked):
        for item in read_items(path):
            digest.update(item.query.encode())
            held = number % HELD_OUT == 0
            texts.append(_text(item.query, PartKind.QUESTION, frozenset(), held=held, share=config.asked))
    return [*texts, *_framed(texts, config)], digest.hexdigest()[:16]


def _acts(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name if name in ACTS else OTHER for name in names)


def _text(
    query: str, kind: PartKind, acts: frozenset[str], *, held: bool, share: float = 1.0, follows: bool = False
) -> Text:
    """A query of which one kind is known: that of its clause, where it has but one."""
    spans = cut(query)
    kinds = (kind,) if len(spans) == 1 else (None,) * len(spans)
    return Text(query, spans, kinds, acts, held, share, follows)


def _statement(line: Any) -> Text:
    text = str(line["text"])
    kinds: list[tuple[int, int, PartKind]] = []
    after = 0
    for part in line["parts"]:
        start = text.index(part["text"], after)
        after = start + len(part["text"])
        kinds.append((start, after, PartKind(part["kind"])))
    spans = cut(text)
    found = tuple(_kind_at(span, kinds) for span in spans)
    return Text(text, spans, found, _acts(line["acts"]), False, follows=bool(line.get("follows")), stated=True)


def _kind_at(span: tuple[int, int], kinds: Sequence[tuple[int, int, PartKind]]) -> PartKind | None:
    """The kind of the part that a clause shares most characters with."""
    shared = [(min(span[1], end) - max(span[0], start), kind) for start, end, kind in kinds]
    most, kind = max(shared, key=lambda each: each[0], default=(0, PartKind.FACT))
    return kind if most > 0 else None


def _framed(texts: Sequence[Text], config: PartsConfig) -> Iterator[Text]:
    """Frames of other kinds around the orders of hand-written queries."""
    raw = tomllib.loads((Path(__file__).parent / "parts.toml").read_text(encoding="utf-8"))
    chance = random.Random(config.seed)
    for each in texts:
        plain = _OPENING.sub("", each.text.strip())
        order = plain[slice(*cut(plain)[0])].rstrip(".!? ") if each.acts and not each.stated else ""
        said = words_of(order)
        if not 1 < len(said) <= _LONGEST_ORDER or said[0] not in raw["past"]:
            continue
        small = order[0].lower() + order[1:]
        past = raw["past"][said[0]] + small[len(said[0]) :]
        for kind in chance.sample(sorted(raw["frames"]), config.frames):
            text = chance.choice(raw["frames"][kind]).format(x=small, p=past)
            spans = cut(text)
            yield Text(text, spans, (PartKind(kind),) * len(spans), frozenset(), each.held, config.framed)


# what is fitted


def _fit(texts: Sequence[Text], config: PartsConfig, progress: Progress) -> PartModel:
    """Train the changes and the end; the same seed gives the same on the same machine."""
    import torch

    torch.manual_seed(config.seed)
    reader = read_reader()
    network = low_rank(reader, config.layers, config.rank, config.dropout)
    head = torch.nn.Parameter(torch.zeros(len(KINDS) + len(ACTS), 2 * reader.places.shape[1]))
    bias = torch.nn.Parameter(torch.tensor([0.0] * len(KINDS) + [_RARE] * len(ACTS)))
    factors, others = [*network.downs, *network.ups], [network.norms, head, bias]
    optimiser = torch.optim.AdamW(
        [{"params": factors, "weight_decay": config.decay}, {"params": others, "weight_decay": 0.0}], lr=config.rate
    )
    read = [tuple(windows(each.text, each.spans, each.follows)) for each in texts]
    lengths = [sum(len(window.pieces) for window in each) for each in read]
    batches = list(drawn_batches([each.share for each in texts], lengths, config, config.texts))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: share_of_rate(step, len(batches), config.warm_up)
    )
    for step, batch in enumerate(batches):
        progress("steps", step, len(batches))
        shown = [window for place in batch for window in read[place]]
        hidden, _ = network([window.pieces for window in shown])
        ends = [
            torch.cat([hidden[at, start:end].mean(0), hidden[at, 0]])
            for at, window in enumerate(shown)
            for start, end in window.clauses
        ]
        loss = _loss(network.dropped(torch.stack(ends)) @ head.T + bias, [texts[place] for place in batch])
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*factors, *others], 1.0)
        optimiser.step()
        schedule.step()
    progress("steps", len(batches), len(batches))
    return PartModel(changes_of(network, reader.mark), numbers(head), numbers(bias), (0.0, 0.0, 0.0))


def _loss(told: Any, texts: Sequence[Text]) -> Any:
    """The cross-entropy of clauses of known kind; of each other text, that some clause, or none, is a wish; and of each
    text, that some clause of it, or none, asks for each act.

    Args:
        told: of each kind and act for each clause of the texts, (clauses, kinds + acts).
    """
    import torch
    from torch.nn.functional import cross_entropy, logsigmoid

    kinds, acts, first = [], [], 0
    not_a_wish = torch.log1p(-told[:, : len(KINDS)].softmax(-1)[:, _WISH].clamp(_LEAST, 1 - _LEAST))
    does_not_ask = logsigmoid(-told[:, len(KINDS) :])
    for text in texts:
        own = slice(first, first + len(text.spans))
        first += len(text.spans)
        known = [at for at, kind in enumerate(text.kinds) if kind is not None]
        if known:
            wanted = torch.tensor([KINDS.index(text.kinds[at]) for at in known])
            kinds.append(cross_entropy(told[own, : len(KINDS)][known], wanted))
        else:
            kinds.append(_of_some(not_a_wish[own].sum(), torch.tensor(bool(text.acts))))
        acts.append(_of_some(does_not_ask[own].sum(0), torch.tensor([act in text.acts for act in ACTS])).sum())
    return torch.stack(kinds).mean() + _BESIDE * torch.stack(acts).mean()


def _of_some(none: Any, some: Any) -> Any:
    """The cross-entropy of whether some clause does something, given the log of the probability that none does."""
    import torch

    return -torch.where(some, torch.log1p(-none.clamp(max=-_LEAST).exp()), none)
