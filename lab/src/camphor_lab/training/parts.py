"""Training of what tells the parts of a query apart: one logistic regression a kind, over the words of its clauses.

Clauses of known kinds are few and written one by one. Hand-written queries say of themselves only whether they act: in
one that does, the clauses that look like questions are taken for such. Frames around orders ("I
decided not to ...") teach the structure with verbs that the statements lack.
"""

from __future__ import annotations

import hashlib
import random
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.agents.parts import KINDS, PartKind, PartModel, cut, marks_of, orders, words_of
from camphor.errors import UsageError
from camphor.trajectories.items import read_items
from camphor_lab.training.small_models import Progress, need_sklearn, read_lines, save

FEWEST_TEXTS = 2
Spans = tuple[tuple[int, int], ...]
_WISH = KINDS.index(PartKind.WISH)
_OPENING = re.compile(r"^(?:please|pls|can you|could you|would you|hey|ok|just)[, ]+", re.IGNORECASE)
_LONGEST_ORDER = 16  # words


@dataclass(frozen=True)
class PartsConfig:
    """Settings. `fit`: inverse strength of the regressions' shrinkage. `stated`, `framed`: weight of a clause of a
    statement and of a frame, where one of a query has 1. `frames`: made of each order. `lost`: share of the
    queries that act which may be taken for asking nothing. `doubted`,
    `doubted_others`: share which may be doubted, of those that begin
    as an order does and of the others. `asked`: weight of a plain question where wishes are told from the rest: many of
    them would make a wish that is put as a question doubtful. `parts`: of the data, held out
    in turns."""

    fit: float = 15.0
    stated: float = 4.0
    framed: float = 0.5
    asked: float = 0.02
    frames: int = 3
    lost: float = 0.015
    doubted: float = 0.005
    doubted_others: float = 0.4
    parts: int = 3
    seed: int = 1


@dataclass(frozen=True)
class Text:
    """A sentence with its clauses' kinds (None where that is not known), whether it acts, and whose turn it is."""

    text: str
    spans: Spans
    kinds: tuple[PartKind | None, ...]
    acts: bool
    part: int
    weight: float
    follows: bool = False
    stated: bool = False
    asked: bool = False


def train_parts(
    statements: Sequence[Path],
    written: Sequence[Path],
    asked: Sequence[Path],
    out: Path,
    config: PartsConfig,
    progress: Progress,
) -> dict[str, Any]:
    """Train on statements and hand-written queries, and write the model.

    Args:
        statements: lines of `{"text", "parts": [{"text", "kind"}], "acts"}`, with `follows` where it is a reply in a
            talk. written: hand-written sets.
        asked: files of questions that ask to be told something and for nothing else.
        progress: told of what, how much of how much is done.

    Returns:
        What the model tells about itself: settings, hash of the data, and figures of what was held out.

    Raises:
        DatasetError: a file breaks the format. UsageError: too few texts, or the file cannot be written.
        MissingExtra: scikit-learn is not installed.
    """
    need_sklearn("train-parts")
    texts, digest = _read(statements, written, asked, config)
    if not any(each.stated and not each.acts for each in texts) or not any(each.acts for each in texts):
        raise UsageError("the data hold no statements, or no wishes: give statements and hand-written sets")
    held: dict[str, list[tuple[float, bool]]] = {"acts": [], "statements": [], "wishes": []}
    for part in range(config.parts):
        progress("held out", part, config.parts)
        model = _fit([each for each in texts if each.part != part], config)
        for each in (each for each in texts if each.part == part and each.weight != config.framed):
            best = _most_wishful(each, model)
            held["wishes" if each.stated and each.acts else "statements" if each.stated else "acts"] += (
                [best] if each.stated or each.acts else []
            )
    progress("held out", config.parts, config.parts)
    floors = _floors(held["acts"], config)
    figures: dict[str, float] = {"texts": sum(map(len, held.values()))}
    for name, found in held.items():
        figures[f"{name}_refused"] = float(np.mean([wish < floors[0] for wish, _ in found]))
        figures[f"{name}_doubted"] = float(np.mean([wish < floors[1 if order else 2] for wish, order in found]))
    about = {"data": digest, "texts": len(texts), "settings": asdict(config), "held_out": figures}
    save(replace(_fit(texts, config), floors=floors, about=about), out)
    return about


def _most_wishful(text: Text, model: PartModel) -> tuple[float, bool]:
    """The highest chance of a wish among the clauses, and whether that clause begins as an order does."""
    chances = [float(model.chances(marks)[_WISH]) for marks in _marks(text)]
    at = int(np.argmax(chances))
    return chances[at], orders(text.text[slice(*text.spans[at])])


def _floors(asked: Sequence[tuple[float, bool]], config: PartsConfig) -> tuple[float, float, float]:
    ordered, other = ([wish for wish, order in asked if order is which] or [0.0] for which in (True, False))
    least = float(np.quantile([wish for wish, _ in asked], config.lost))
    return (
        least,
        max(least, float(np.quantile(ordered, config.doubted))),
        max(least, float(np.quantile(other, config.doubted_others))),
    )


# what is read


def _read(
    statements: Sequence[Path], written: Sequence[Path], asked: Sequence[Path], config: PartsConfig
) -> tuple[list[Text], str]:
    lines, whole = read_lines(statements, _statement, '{"text", "parts": [{"text", "kind"}], "acts"}')
    texts = [replace(each, part=number // 20 % config.parts, weight=config.stated) for number, each in enumerate(lines)]
    digest = hashlib.sha256(whole)
    for number, path in enumerate(written):
        for item in read_items(path):
            spans, tags = cut(item.query), set(item.tags)
            kind = PartKind.WISH if item.calls else PartKind.QUESTION if "info_only" in tags else None
            kind = PartKind.THANKS if kind is None and "smalltalk" in tags else kind
            digest.update(f"{item.query}\n{kind}\n".encode())
            if kind is not None:
                kinds = (kind,) * len(spans)
                follows = bool(item.history)
                texts.append(Text(item.query, spans, kinds, bool(item.calls), number % config.parts, 1.0, follows))
    for number, path in enumerate(asked):
        for item in read_items(path):
            spans = cut(item.query)
            digest.update(item.query.encode())
            kinds = (PartKind.QUESTION,) * len(spans)
            texts.append(Text(item.query, spans, kinds, False, number % config.parts, 1.0, asked=True))
    return [*texts, *_framed(texts, config)], digest.hexdigest()[:16]


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
    return Text(text, spans, found, bool(line["acts"]), 0, 1.0, follows=bool(line.get("follows")), stated=True)


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
            yield Text(text, spans, (PartKind(kind),) * len(spans), False, each.part, config.framed)


# what is fitted


def _marks(text: Text) -> list[npt.NDArray[np.uint32]]:
    return [marks_of(text.text, text.spans, at, text.follows) for at in range(len(text.spans))]


def _fit(texts: Sequence[Text], config: PartsConfig) -> PartModel:
    """A model of the texts, fitted twice: the clauses of queries that act are told apart by the first."""
    marks = [_marks(each) for each in texts]
    first = _fitted(texts, marks, config)
    told = [_told_apart(each, own, first) for each, own in zip(texts, marks, strict=True)]
    return _fitted(told, marks, config)


def _told_apart(text: Text, marks: Sequence[npt.NDArray[np.uint32]], model: PartModel) -> Text:
    """A query that acts, with the clauses that look like questions as such; its likeliest wish stays one.

    Measured on held-out statements: to take other clauses for what they look like makes reports look like wishes.
    """
    if text.stated or not text.acts or len(text.spans) == 1:
        return text
    chances = [model.chances(each) for each in marks]
    most = max(float(each[_WISH]) for each in chances)
    kinds = tuple(
        PartKind.QUESTION if KINDS[int(each.argmax())] is PartKind.QUESTION and each[_WISH] < most else PartKind.WISH
        for each in chances
    )
    return replace(text, kinds=kinds)


def _fitted(texts: Sequence[Text], marks: Sequence[Any], config: PartsConfig) -> PartModel:
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    rows = [
        (own, KINDS.index(kind), each.weight, each.asked)
        for each, clauses in zip(texts, marks, strict=True)
        for own, kind in zip(clauses, each.kinds, strict=True)
        if kind is not None
    ]
    seen, counts = np.unique(np.concatenate([own for own, *_ in rows]), return_counts=True)
    known, nothing = seen[counts >= FEWEST_TEXTS].astype(np.uint32), np.zeros(len(KINDS), np.float32)
    model = PartModel(known, nothing[:, None], nothing, (0.0, 0.0, 0.0))
    places = [model.places(own) for own, *_ in rows]
    at = np.repeat(np.arange(len(places)), [len(each) for each in places])
    values = np.concatenate([np.full(len(each), max(len(each), 1) ** -0.5) for each in places])
    clauses = csr_matrix((values, (at, np.concatenate(places))), shape=(len(places), len(known)))
    kinds, strength = np.array([kind for _, kind, *_ in rows]), np.array([weight for *_, weight, _ in rows])
    questions = np.array([is_asked for *_, is_asked in rows])
    weights, bias = np.zeros((len(KINDS), len(known)), np.float32), np.full(len(KINDS), -20.0, np.float32)
    for kind in sorted(set(kinds.tolist())):
        fitted = LogisticRegression(C=config.fit, solver="liblinear", random_state=config.seed)
        mine = np.where(questions & (kind == _WISH), strength * config.asked, strength)
        fitted.fit(clauses, kinds == kind, mine)
        weights[kind], bias[kind] = fitted.coef_[0], fitted.intercept_[0]
    return replace(model, weights=weights, bias=bias)
