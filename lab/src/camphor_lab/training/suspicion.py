"""Training of the net for emergencies: ridge regression on hand-written urgent sentences, near misses, complaints, and
what people say to a phone that has nothing to do with health.

How urgent, of which kind and in which language are learnt together; beside it is learnt what a message says as a whole
(`training.meaning`). The bars come from sentences of hands that had seen no other set (`BLIND`), each hand held out in
turn: neighbours that one hand wrote together foretell too much. A bar is set by how much of what is urgent must be
noticed, another by how often near misses and ordinary complaints may raise an alarm.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from camphor.agents.health.red_flags import flags, red_flags
from camphor.agents.health.suspicion import (
    KIND,
    LANGUAGE,
    LANGUAGES,
    NOW,
    URGENT,
    Bars,
    Suspicion,
    read_of,
    read_suspicion,
)
from camphor_lab.datasets.health.diseases import read_diseases
from camphor_lab.training.meaning import Lessons, MeaningConfig, train_meaning
from camphor_lab.training.small_models import Progress, read_lines, save
from camphor_lab.training.texts import Floats, Texts, ridge, word_classes

FILES = (
    "urgent.jsonl", "routine.jsonl", "emergencies.jsonl", "near-misses.jsonl", "rules.jsonl", "varied.jsonl",
    "fifth.jsonl", "sixth.jsonl", "seventh.jsonl",
)  # fmt: skip
BLIND = {("fifth", True): 1, ("fifth", False): 2, ("sixth", True): 2, ("sixth", False): 1}
"""Styles of the hands that had seen no development set, by whether it is English, with the fold in which each is held
out: never two hands of one language together."""
LATEST = {told: fold for told, fold in BLIND.items() if told[0] == "sixth"}
"""Those that no shipped net had learnt from as a whole."""
FOLDS = 3
"""Parts of the texts: the first is never held out, then come what blind hands wrote."""
LEVELS = ("now", "today", "routine")
COMPLAINT = "complaint"
ORDINARY = (COMPLAINT, "talk")
"""Kinds of routine sentences of the folder that are not even near misses."""
DISEASE = "disease"
"""A complaint of a disease of `datasets.health`; some of them are not so ordinary, so they count less."""
ELSEWHERE = "elsewhere"
"""What has nothing to do with health."""
UNCLEAR = "unclear"
"""Of a disease: a complaint too vague to find a specialist, or an answer to a question."""
_NOT_NEAR = (*ORDINARY, DISEASE, ELSEWHERE, UNCLEAR)
_TALK_NEIGHBOURS = 24
_COARSE = 31
"""Steps either way of the weights for kinds and languages: the likeliest are those of 127, and the file is smaller."""

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class SuspicionConfig:
    """Settings.

    `classes`: of word pieces. `shrink`: of the regression. `complaint`, `elsewhere`: how much a complaint of a disease,
    and what has nothing to do with health, count beside a sentence of the folder. `share`: of the log-odds of a message
    as a whole. `noticed`: how much of what is urgent is asked about at least. Of the near misses `alarms`, and of the
    ordinary complaints `plain`, may raise an alarm; of what must be done now and is suspicious, `later` may be put off
    till later that day.
    """

    classes: int = 1000
    shrink: float = 1.0
    complaint: float = 0.2
    elsewhere: float = 0.1
    share: float = 0.06
    noticed: float = 0.98
    alarms: float = 0.03
    plain: float = 0.005
    later: float = 0.05
    seed: int = 1


@dataclass(frozen=True)
class SuspicionText:
    """A text to learn from; `fold`: what is held out together with it."""

    text: str
    level: str
    kind: str
    language: str = "en"
    fold: int = 0


def train_suspicion(
    folder: Path, talk: Path, out: Path, config: SuspicionConfig, progress: Progress, kept: Path | None = None
) -> dict[str, Any]:
    """Train on the folder's sentences, the complaints of `datasets.health` and small talk, and write the net.

    Args:
        talk: as the folder of `train_complaints`; what is no complaint is taken.
        kept: a net whose part that reads a message as a whole is kept; only the words are learnt (minutes, without
            torch), only the `LATEST` hands are held out, and no bar of asking falls.
        progress: told of what, how much of how much is done.

    Returns:
        What the net tells about itself: settings, hash of the data, and figures of what was held out.

    Raises:
        DatasetError: the data break their format. UsageError: they are too few, or the file cannot be written.
    """
    whole = read_suspicion(kept) if kept else None
    same = whole.meaning if whole else None
    told, digest = read_told(folder, talk, LATEST if kept else BLIND)
    classes = word_classes([each.text for each in told], config.classes, config.seed)
    progress("texts", 0, 1)
    texts = Texts.of([each.text for each in told], classes, read_of)
    progress("texts", 1, 1)
    outputs, wanted = wanted_of(told)
    weights = weights_of(told, config.complaint, config.elsewhere)
    places = np.array([outputs.index(URGENT), outputs.index(NOW)])
    lessons = lessons_of(told, weights)
    learning = MeaningConfig(seed=config.seed)
    scores = np.full(wanted.shape, np.nan)
    folds = np.array([each.fold for each in told])
    for fold in range(1, FOLDS):
        known, unknown = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        factors, bias = ridge(texts.alike(known, known), wanted[known], config.shrink, weights[known])
        scores[unknown] = texts.alike(unknown, known) @ factors + bias
        meaning = same or train_meaning(lessons.some(known), learning, f"without hand {fold}", progress)
        scores[np.ix_(unknown, places)] += config.share * meaning.scores([told[each].text for each in unknown])
    held = np.flatnonzero(folds > 0)
    unseen, foretold = [told[each] for each in held], scores[held]
    bars = bars_of(unseen, foretold[:, places[0]], foretold[:, places[1]], config)
    if whole:  # the latest hands wrote veiled words above all: no sample of what people say, so no more is asked
        bars = {name: Bars(max(each.ask, whole.bars[name].ask), each.found, each.now) for name, each in bars.items()}
    factors, bias = ridge(texts.alike(), wanted, config.shrink, weights)
    about = {
        "data": digest,
        "texts": len(told),
        "settings": {**asdict(config), "meaning": "kept" if whole else asdict(learning)},
        "held_out": figures(unseen, foretold, outputs, bars),
    }
    net = net_of(outputs, texts, factors, bias, classes, bars, about)
    meaning = same or train_meaning(lessons, learning, "all hands", progress)
    save(replace(net, meaning=meaning, share=config.share), out)
    return about


def lessons_of(told: Sequence[SuspicionText], weights: Floats) -> Lessons:
    """The texts as the part that reads them as a whole learns them."""
    now = np.array([{"now": 1.0, "today": 0.0}.get(each.level, np.nan) for each in told])
    return Lessons(
        [each.text for each in told],
        np.array([float(each.level != "routine") for each in told]),
        now,
        weights,
        np.array([each.kind in (DISEASE, UNCLEAR, ELSEWHERE) for each in told]),
    )


def read_told(
    folder: Path, talk: Path, blind: Mapping[tuple[str, bool], int] = BLIND
) -> tuple[list[SuspicionText], str]:
    """The sentences, the complaints of diseases and small talk, each in a fold, and the data's hash.

    Raises:
        DatasetError: a file cannot be read or breaks the format; says where.
    """
    lines, whole = read_lines((folder / name for name in FILES), _line, "text, level, kind and lang")
    digest = hashlib.sha256(whole)
    told = []
    for line in lines:
        hand = blind.get((line["style"], line["lang"] == "en"), 0)
        told.append(SuspicionText(line["text"], line["level"], line["kind"], line["lang"], hand))
    for place, disease in enumerate(read_diseases()):
        spoken = [(complaint.text, DISEASE) for complaint in disease.complaints["train"]]
        if disease.asked_in == "train":
            spoken += [(text, UNCLEAR) for text in (*disease.vague, *(answer for _, answer in disease.questions))]
        digest.update("".join(text for text, _ in spoken).encode())
        told += [SuspicionText(text, "routine", kind, "en", place % FOLDS) for text, kind in spoken]
    said, whole = read_lines(sorted(talk.glob("*.jsonl")), lambda line: (line["text"], line["complaint"]), "text")
    digest.update(whole)
    aside = [text for text, complaint in said if not complaint]
    told += [
        SuspicionText(text, "routine", ELSEWHERE, "en", place // _TALK_NEIGHBOURS % FOLDS)
        for place, text in enumerate(aside)
    ]
    return told, digest.hexdigest()[:16]


def wanted_of(told: Sequence[SuspicionText]) -> tuple[tuple[str, ...], Floats]:
    """The names of the outputs, and what is wanted of them: 1 for yes, -1 for no, 0 where it does not matter."""
    urgent = np.array([each.level != "routine" for each in told])
    kinds = np.array([each.kind if each.level != "routine" else "" for each in told])
    languages = np.array([each.language for each in told])
    columns = {
        URGENT: _signs(urgent),
        NOW: np.array([{"now": 1.0, "today": -1.0}.get(each.level, 0.0) for each in told]),
        **{f"{KIND}{name}": _signs(kinds == name) for name in flags()},
        **{f"{LANGUAGE}{name}": _signs(languages == name) for name in LANGUAGES},
    }
    return tuple(columns), np.column_stack(list(columns.values()))


def weights_of(told: Sequence[SuspicionText], complaint: float, elsewhere: float) -> npt.NDArray[np.float64]:
    """How much each text counts: complaints of diseases less, and in each language what is routine as much as what is
    urgent. What has nothing to do with health stands outside of that balance: it is much, and takes no near miss's
    place."""
    aside = np.array([each.kind == ELSEWHERE for each in told])
    found = np.array([complaint if each.kind in (DISEASE, UNCLEAR) else 1.0 for each in told])
    urgent = np.array([each.level != "routine" for each in told])
    languages = np.array([each.language for each in told])
    for language in set(languages):
        its, others = (languages == language) & urgent, (languages == language) & ~urgent & ~aside
        if its.any() and others.any():
            found[others] *= found[its].sum() / found[others].sum()
    found[aside] = elsewhere
    return found


def bars_of(told: Sequence[SuspicionText], urgent: Floats, now: Floats, config: SuspicionConfig) -> dict[str, Bars]:
    """The bars of each language, from held-out scores."""
    levels = np.array([each.level for each in told])
    english = np.array([each.language == "en" for each in told])
    kinds = np.array([each.kind for each in told])
    near, plain = (levels == "routine") & ~np.isin(kinds, _NOT_NEAR), kinds == COMPLAINT
    found = {}
    for language in LANGUAGES:
        here = english if language == "en" else ~english  # four languages together: each alone has too few
        ask = _quantile(urgent[(levels != "routine") & here], 1 - config.noticed)
        sure = max(
            ask, _quantile(urgent[near & here], 1 - config.alarms), _quantile(urgent[plain & here], 1 - config.plain)
        )
        found[language] = Bars(ask, sure, _quantile(now[(levels == "now") & here & (urgent >= ask)], config.later))
    return found


def _quantile(scores: Floats, share: float) -> float:
    return float(np.quantile(scores, share)) if len(scores) else 0.0


def net_of(
    outputs: tuple[str, ...], texts: Texts, factors: Floats, bias: Floats, classes: npt.NDArray[np.uint16],
    bars: dict[str, Bars], about: dict[str, Any],
) -> Suspicion:  # fmt: skip
    """The net that says the same as the factors of the texts do, but for rounding."""
    weights = texts.weights(factors).T
    steps = np.where(np.isin(outputs, (URGENT, NOW)), 127, _COARSE)
    scales = np.maximum(np.abs(weights).max(axis=1), 1e-9) / steps
    rounded = np.rint(weights / scales[:, None]).astype(np.int8)
    return Suspicion(
        outputs, rounded, scales.astype(np.float32), bias.astype(np.float32), texts.rarity, classes, bars, about
    )


def figures(
    told: Sequence[SuspicionText], scores: Floats, outputs: tuple[str, ...], bars: dict[str, Bars]
) -> dict[str, Any]:
    """Of held-out texts: what share was found or asked about; what raised an alarm or a question for nothing."""
    urgent = scores[:, outputs.index(URGENT)]
    signs = np.array([bool(red_flags(each.text)) for each in told])
    asked = np.array([score >= bars[each.language].ask for each, score in zip(told, urgent, strict=True)])
    sure = np.array([score >= bars[each.language].found for each, score in zip(told, urgent, strict=True)])
    alarmed = asked & (signs | sure)
    levels = np.array([each.level for each in told])
    languages = np.array([each.language for each in told])
    kinds = np.array([each.kind for each in told])
    ordinary, near = np.isin(kinds, ORDINARY), (levels == "routine") & ~np.isin(kinds, _NOT_NEAR)
    diseases, aside = np.isin(kinds, (DISEASE, UNCLEAR)), kinds == ELSEWHERE
    hurried = levels != "routine"
    sets: dict[str, tuple[Mask, Mask]] = {
        "now: found or asked": (asked, levels == "now"),
        "now: found": (alarmed, levels == "now"),
        "today: found or asked": (asked, levels == "today"),
        "today: found": (alarmed, levels == "today"),
        "near misses: alarms": (alarmed, near),
        "near misses: asked or alarms": (asked, near),
        "complaints and talk: alarms": (alarmed, ordinary),
        "complaints and talk: asked or alarms": (asked, ordinary),
        "complaints of diseases: asked or alarms": (asked, diseases),
        "not about health: asked or alarms": (asked, aside),
        "urgent: signs of flags.toml": (signs, hurried),
        "near misses: signs of flags.toml": (signs, near),
    }
    for language in LANGUAGES:
        sets[f"{language}: urgent found or asked"] = (asked, hurried & (languages == language))
    for kind in flags():
        sets[f"{kind}: found or asked"] = (asked, hurried & (kinds == kind))
    return {
        name: [round(float(hit[these].mean()), 4), int(these.sum())]
        for name, (hit, these) in sets.items()
        if these.any()
    }


def _signs(yes: Mask) -> Floats:
    return np.where(yes, 1.0, -1.0)


def _line(data: Any) -> dict[str, str]:
    if data["level"] not in LEVELS or data["lang"] not in LANGUAGES or not data["text"].strip():
        raise ValueError(f"no text, a level that is none of {', '.join(LEVELS)}, or an unknown language")
    if data["level"] != "routine" and data["kind"] not in flags():
        raise ValueError(f"{data['kind']!r} is no kind of flags.toml")
    return {"style": str(data.get("style")), **{name: str(data[name]) for name in ("text", "level", "kind", "lang")}}
