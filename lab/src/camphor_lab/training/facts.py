"""Training of what reads the facts that a person tells: changes of low rank in the reader's encoder, and three ends.

Learnt from sentences whose facts are marked, from sentences that want something of the memory, and from
texts that tell nothing lasting: clauses of data/statements that wish, ask, quote or muse, and hand-written queries.
One line in ten is held out: from those the floors are taken, so that next to nothing is kept that is no fact.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from camphor.agents.memory.told_facts import (
    ACTS,
    BEARINGS,
    EFFECTS,
    Effect,
    FactModel,
    MemoryAct,
    ToldFact,
    pair_pieces,
    relations,
)
from camphor.agents.parts import PartKind, Window, cut, read_parts, windows
from camphor.errors import UsageError
from camphor.trajectories.items import read_items
from camphor_lab.training.low_rank import changes_of, low_rank, numbers, share_of_rate, shortened
from camphor_lab.training.small_models import HELD_OUT, Progress, drawn_batches, held_out, need, read_lines, save

_TOGETHER = 5  # neighbouring lines of a file, which may be twins, are held out or learnt together
_LASTING = frozenset((PartKind.FACT, PartKind.DECIDED_NOT, PartKind.REPORT))
"""Kinds of clauses that may tell a lasting fact: what data/statements has of these teaches nothing here."""


@dataclass(frozen=True)
class FactsConfig:
    """Settings.

    Args:
        rank, layers: of the changes; kept_rank: of those that are written. rate, heads_rate: of the changes
            and of the ends. plain: how often a text without marks is read in an epoch, where a marked one is once.
            acts: the same of what is asked of the memory.
        batch: texts of a step, of like lengths among `drawn` times as many. pairs: lines with memories of a step.
        telling: weight of whether a clause tells a fact.
        captured_falsely: share of the held-out texts without a fact of which something may be kept. acted_falsely:
            which may be taken for wanting something of the memory.
    """

    rank: int = 64
    kept_rank: int = 16
    layers: int = 6
    epochs: float = 5.0
    rate: float = 5e-4
    heads_rate: float = 3e-3
    decay: float = 0.02
    dropout: float = 0.1
    warm_up: float = 0.06
    plain: float = 0.15
    acts: float = 3.0
    batch: int = 64
    pairs: int = 16
    telling: float = 4.0
    drawn: int = 16
    captured_falsely: float = 0.025
    acted_falsely: float = 0.003
    seed: int = 1


@dataclass(frozen=True)
class Marked:
    """A text with its facts, each with its place, relation and effect.

    Args:
        act: what it wants of the memory. unknown: places of which nothing is known. share: how often it is read in an
            epoch. held: whether it is held out.
    """

    text: str
    facts: tuple[Mapping[str, Any], ...] = ()
    act: MemoryAct = MemoryAct.NONE
    unknown: tuple[tuple[int, int], ...] = ()
    share: float = 1.0
    held: bool = False


def train_facts(
    marked: Sequence[Path],
    out: Path,
    config: FactsConfig,
    progress: Progress,
    *,
    acts: Sequence[Path] = (),
    pairs: Sequence[Path] = (),
    statements: Sequence[Path] = (),
    written: Sequence[Path] = (),
) -> dict[str, Any]:
    """Train, and write the model.

    Args:
        marked: lines of `{"text", "facts"}`, each fact with "clause", "effect", "relation", "subject", "topic", "value"
            and "until".
        acts: lines of `{"text", "act", "about"}`. pairs: lines of `{"memory": [...], "say", "replaces", "same",
            "uses"}`, the last three with places in `memory`. statements: as `train_parts` reads them. written:
            hand-written sets.

    Returns:
        What the model tells about itself: settings, hash of the data, and figures of what was held out.

    Raises:
        DatasetError: a file breaks the format. UsageError: too few texts, or the file cannot be written.
        MissingExtra: torch is not installed. ModelMissing: there is no reader.
    """
    need("torch", "torch, which train-facts needs,")
    texts, digest = _read(marked, acts, statements, written, config)
    if not any(each.facts for each in texts):
        raise UsageError("the data mark no facts: give lines with facts")
    paired, pairs_digest = _read_pairs(pairs)
    learnt = [each for each in paired if not each.held]
    model = _fit([each for each in texts if not each.held], learnt, config, progress)
    held = [each for each in texts if each.held]
    model, figures = _with_floors(model, held, config)
    figures |= _of_pairs(model, [each for each in paired if each.held])
    digest += pairs_digest
    about = {"data": digest, "texts": len(texts), "settings": asdict(config), "held_out": figures}
    save(replace(model, about=about), out)
    return about


def _with_floors(model: FactModel, held: Sequence[Marked], config: FactsConfig) -> tuple[FactModel, dict[str, float]]:
    read = [(each, model.read(each.text)) for each in held]
    none = [max(fact.chance for fact in told.facts) for each, told in read if not each.facts and not each.unknown]
    floor = float(np.quantile(none, 1 - config.captured_falsely)) + 1e-6 if none else 0.5
    acting = [told.act_chance for each, told in read if each.act is MemoryAct.NONE and told.act is not MemoryAct.NONE]
    plain = sum(each.act is MemoryAct.NONE for each in held)
    over = sorted(acting, reverse=True)[int(config.acted_falsely * plain) :]
    act_floor = max(0.5, (over[0] + 1e-6) if over else 0.5)
    figures: dict[str, float] = {"texts": len(held), "floor": floor, "act_floor": act_floor}
    facts = [(fact, _hit(fact, told.facts, floor)) for each, told in read for fact in each.facts]
    found = [(fact, hit) for fact, hit in facts if hit is not None]
    figures["facts"] = len(facts)
    figures["captured"] = len(found) / max(1, len(facts))
    figures["falsely_captured"] = float(np.mean([chance >= floor for chance in none])) if none else 0.0
    same_relation = [hit.relation.name == fact["relation"] for fact, hit in found]
    same_effect = [hit.effect.value == fact["effect"] for fact, hit in found]
    figures["relation"], figures["effect"] = _mean(same_relation), _mean(same_effect)
    wanted = [(each, told) for each, told in read if each.act is not MemoryAct.NONE]
    figures["acts"] = _mean([told.act is each.act and told.act_chance >= act_floor for each, told in wanted])
    return replace(model, floor=floor, act_floor=act_floor), figures


def _mean(values: Sequence[bool]) -> float:
    return float(np.mean(values)) if values else 0.0


def _of_pairs(model: FactModel, held: Sequence[Paired]) -> dict[str, float]:
    """Of held-out lines: of each bearing precision and recall at a half."""
    figures = {}
    found = [(each, model.bearings(each.text, each.memories)) for each in held]
    for place, name in enumerate(BEARINGS):
        told = [
            (getattr(bearing, name) >= 0.5, at in each.bearing[place])
            for each, bearings in found
            for at, bearing in enumerate(bearings)
        ]
        hits = sum(said and right for said, right in told)
        figures[f"{name}_precision"] = hits / max(1, sum(said for said, _ in told))
        figures[f"{name}_recall"] = hits / max(1, sum(right for _, right in told))
    return figures


def _hit(fact: Mapping[str, Any], found: Sequence[ToldFact], floor: float) -> ToldFact | None:
    """The clause that shares most words with a marked fact, where it is kept."""
    sure = [each for each in found if each.chance >= floor and each.start < fact["end"] and fact["start"] < each.end]
    return max(sure, key=lambda each: min(each.end, fact["end"]) - max(each.start, fact["start"]), default=None)


# what is read


def _read(
    marked: Sequence[Path],
    acts: Sequence[Path],
    statements: Sequence[Path],
    written: Sequence[Path],
    config: FactsConfig,
) -> tuple[list[Marked], str]:
    digest = hashlib.sha256()
    texts: list[Marked] = []
    for paths, example, fields, share in (
        (marked, _marked, '{"text", "facts"}', 1.0),
        (acts, _act, '{"text", "act", "about"}', config.acts),
        (statements, _statement, '{"text", "parts"}', config.plain),
    ):
        for path in paths:
            lines, whole = read_lines([path], example, fields)
            digest.update(whole)
            texts += [replace(each, held=held_out(number, _TOGETHER), share=share) for number, each in enumerate(lines)]
    for path in written:
        for number, item in enumerate(read_items(path)):
            digest.update(item.query.encode())
            held = number % (3 * HELD_OUT) == 0
            texts.append(
                Marked(
                    item.query, unknown=((0, len(item.query)),) if item.history else (), share=config.plain, held=held
                )
            )
    return texts, digest.hexdigest()[:16]


@dataclass(frozen=True)
class Paired:
    """A text with the memories beside it, and of each bearing the places of those that it has it on."""

    text: str
    memories: tuple[str, ...]
    bearing: tuple[frozenset[int], ...]
    held: bool = False


def _read_pairs(paths: Sequence[Path]) -> tuple[list[Paired], str]:
    found: list[Paired] = []
    digest = hashlib.sha256()
    for path in paths:
        lines, whole = read_lines([path], _pair, '{"memory", "say", "replaces", "same", "uses"}')
        digest.update(whole)
        found += [replace(each, held=held_out(number, _TOGETHER)) for number, each in enumerate(lines)]
    return found, digest.hexdigest()[:8] if paths else ""


def _pair(line: Any) -> Paired:
    memories = tuple(map(str, line["memory"]))
    bearing = tuple(frozenset(int(place) for place in line.get(name) or ()) for name in BEARINGS)
    if any(not 0 <= place < len(memories) for places in bearing for place in places):
        raise ValueError("a place without a memory")
    return Paired(str(line["say"]), memories, bearing)


def _marked(line: Any) -> Marked:
    text, facts = str(line["text"]), []
    for fact in line["facts"]:
        clause = str(fact["clause"])
        start = text.index(clause)
        if fact["relation"] not in relations() or fact["effect"] not in list(Effect):
            raise ValueError(f"{fact['relation']!r}, {fact['effect']!r}")
        facts.append({**fact, "start": start, "end": start + len(clause)})
    return Marked(text, tuple(facts))


def _act(line: Any) -> Marked:
    return Marked(str(line["text"]), (), MemoryAct(line["act"]))


def _statement(line: Any) -> Marked:
    text, after, unknown = str(line["text"]), 0, []
    for part in line["parts"]:
        start = text.index(part["text"], after)
        after = start + len(part["text"])
        if PartKind(part["kind"]) in _LASTING:
            unknown.append((start, after))
    return Marked(text, unknown=tuple(unknown))


# what is fitted


@dataclass(frozen=True)
class _Example:
    """A window with what is to be said of it. `kinds`: of each clause whether it tells a fact, -1 where that is not
    known, and of which relation and effect, -1 for none. `act`: of the text, -1 where that is not known."""

    window: Window
    kinds: tuple[tuple[int, int, int], ...]
    act: int


def _examples(text: Marked, names: Sequence[str]) -> Iterator[_Example]:
    spans = cut(text.text)
    labels = [_label(span, text, names) for span in spans]
    act = -1 if text.unknown else ACTS.index(text.act)
    after = 0
    for window in windows(text.text, spans, False):
        yield _Example(window, tuple(labels[after : after + len(window.clauses)]), act)
        after += len(window.clauses)


def _label(span: tuple[int, int], text: Marked, names: Sequence[str]) -> tuple[int, int, int]:
    """Of a clause: it tells a fact where it has most of one's words, or is mostly one."""
    for fact in text.facts:
        shared = min(span[1], fact["end"]) - max(span[0], fact["start"])
        if shared * 2 > min(span[1] - span[0], fact["end"] - fact["start"]):
            return 1, names.index(fact["relation"]), EFFECTS.index(Effect(fact["effect"]))
    unknown = any(start < span[1] and span[0] < end for start, end in text.unknown)
    return (-1 if unknown else 0), -1, -1


def _fit(texts: Sequence[Marked], paired: Sequence[Paired], config: FactsConfig, progress: Progress) -> FactModel:
    """Train the changes and the ends; the same seed gives the same on the same machine."""
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

    torch.manual_seed(config.seed)
    names = tuple(relations())
    encoder = read_parts().encoder
    network = low_rank(encoder, config.layers, config.rank, config.dropout)
    width = 2 * encoder.places.shape[1]
    sizes = {"clauses": 1 + len(names) + len(EFFECTS), "acts": len(ACTS), "pairs": len(BEARINGS)}
    heads = {name: torch.nn.Parameter(torch.zeros(size, width)) for name, size in sizes.items()}
    biases = {name: torch.nn.Parameter(torch.zeros(size)) for name, size in sizes.items()}
    factors, others = [*network.downs, *network.ups, network.norms], [*heads.values(), *biases.values()]
    optimiser = torch.optim.AdamW(
        [
            {"params": factors, "weight_decay": config.decay, "lr": config.rate},
            {"params": others, "weight_decay": 0.0, "lr": config.heads_rate},
        ]
    )
    examples = [(each.share, example) for each in texts for example in _examples(each, names)]
    batches = list(
        drawn_batches(
            [share for share, _ in examples], [len(each.window.pieces) for _, each in examples], config, config.batch
        )
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: share_of_rate(step, len(batches), config.warm_up)
    )
    chance = random.Random(config.seed)
    for step, batch in enumerate(batches):
        progress("steps", step, len(batches))
        shown = [examples[place][1] for place in batch]
        hidden, there = network([each.window.pieces for each in shown])
        clauses = torch.stack(
            [
                torch.cat([hidden[at, start:end].mean(0), hidden[at, 0]])
                for at, each in enumerate(shown)
                for start, end in each.window.clauses
            ]
        )
        told = network.dropped(clauses) @ heads["clauses"].T + biases["clauses"]
        kinds = torch.tensor([kind for each in shown for kind in each.kinds])
        tells = kinds[:, 0]
        wrong = binary_cross_entropy_with_logits(told[:, 0], tells.clamp(min=0).float(), reduction="none")
        loss = config.telling * _mean_known((wrong * (tells >= 0)).sum(), tells)
        for first, last, place in ((1, 1 + len(names), 1), (1 + len(names), told.shape[1], 2)):
            wrong = cross_entropy(told[:, first:last], kinds[:, place], ignore_index=-1, reduction="sum")
            loss = loss + _mean_known(wrong, kinds[:, place])
        acts = torch.tensor([each.act for each in shown])
        whole = torch.cat([_means(hidden, there), hidden[:, 0]], 1)
        wrong = cross_entropy(whole @ heads["acts"].T + biases["acts"], acts, ignore_index=-1, reduction="sum")
        loss = loss + _mean_known(wrong, acts)
        if paired:
            some = chance.sample(paired, min(config.pairs, len(paired)))
            pieces = [pair_pieces(each.text, memory) for each in some for memory in each.memories]
            wanted = [
                [float(at in places) for places in each.bearing] for each in some for at in range(len(each.memories))
            ]
            hidden, there = network(pieces)
            both = torch.cat([_means(hidden, there), hidden[:, 0]], 1)
            told = network.dropped(both) @ heads["pairs"].T + biases["pairs"]
            wrong = binary_cross_entropy_with_logits(told, torch.tensor(wanted), reduction="none")
            loss = loss + wrong.mean() * len(BEARINGS)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*factors, *others], 1.0)
        optimiser.step()
        schedule.step()
    progress("steps", len(batches), len(batches))
    ends = {name: numbers(heads[name]) for name in heads}
    ends |= {f"{name}_bias": numbers(biases[name]) for name in biases}
    return FactModel(shortened(changes_of(network, encoder.mark), config.kept_rank), **ends, relations=names)  # type: ignore[arg-type]


def _means(hidden: Any, there: Any) -> Any:
    """The mean over the pieces of each text, (texts, width)."""
    return (hidden * there[:, :, None]).sum(1) / there.sum(1)[:, None]


def _mean_known(total: Any, labels: Any) -> Any:
    """A loss by the number of labels that are known; 0 for none."""
    return total / (labels >= 0).sum().clamp(min=1)
