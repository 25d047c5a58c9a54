"""A dataset of implicit queries as a folder: devices, samples of both splits, and the toolbox; and what it holds.

Queries are asked over simulated lives and balanced over what people want (Context Tuning, Appendix A.1). The figures
stand beside the paper's (Appendix A.1 and Table 4).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from camphor_lab.datasets.context.intents import ANY, INTENTS, QueryIntent
from camphor_lab.datasets.context.lives import Life, Thread
from camphor_lab.datasets.context.phrases import SPLITS, QueryBank, QueryPhrase, read_bank
from camphor_lab.datasets.context.present import document_at, records_of, whole
from camphor_lab.datasets.context.queries import about, ask, word
from camphor_lab.datasets.context.samples import ContextSample, write_context_samples
from camphor_lab.datasets.context.simulate import make_life, split_of_persona
from camphor_lab.datasets.context.toolbox import STORES, manifests
from camphor_lab.datasets.context.words import LifeWords
from camphor_lab.datasets.files import write_json
from camphor_lab.datasets.wording import listed

_WORDINGS, _MOMENTS = 4, 3  # tried of a thread, and of a wording
_OF_A_THREAD = 2  # queries of a life at most
_KINDS = 0.15  # how much more often an intent is asked for each further kind that it has
_MOST_WEIGHT = 2.5


@dataclass
class MadeQueries:
    """The samples of a split, and how often something was asked."""

    samples: list[ContextSample] = field(default_factory=list)
    intents: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    wordings: Counter[str] = field(default_factory=Counter)


def generate(
    lives: Iterable[Life], people: int, bank: QueryBank, count: int, seed: int, progress: Callable[[int], None]
) -> MadeQueries:
    """Samples of one split; the same arguments give the same samples.

    Args:
        lives: of the split's personas. people: how many they are.
        bank: the split's wordings.
        count: how many samples are wanted; fewer where the lives have no more to ask about.
        seed: decides everything drawn.
        progress: called with how many are made.
    """
    made = MadeQueries()
    by_intent: dict[str, list[QueryPhrase]] = defaultdict(list)
    for phrase in bank.phrases:
        by_intent[phrase.intent.name].append(phrase)
    for number, life in enumerate(lives, 1):
        wanted = round(count * number / people) - len(made.samples)
        _Asker(life, bank, by_intent, made, Random(f"{seed}:{life.persona.id}")).ask(wanted)
        progress(len(made.samples))
    made.samples = [replace(one, id=f"{bank.split}-{n:05d}") for n, one in enumerate(made.samples, 1)]
    return made


class _Asker:
    """Makes the samples of one life."""

    def __init__(
        self, life: Life, bank: QueryBank, phrases: Mapping[str, list[QueryPhrase]], made: MadeQueries, rng: Random
    ) -> None:
        self.life, self.bank, self.phrases, self.made, self.rng = life, bank, phrases, made, rng
        self.of_thread: Counter[int] = Counter()
        self.said: set[str] = set()

    def ask(self, wanted: int) -> None:
        """So many samples, each of another intent, the rarest first; an intent twice where the life has little."""
        for _ in range(2):
            for intent in self._rarest_first():
                if wanted <= 0:
                    return
                wanted -= self._one(intent)

    def _rarest_first(self) -> list[QueryIntent]:
        def made(intent: QueryIntent) -> float:
            weight = min(1 + _KINDS * (len(intent.kinds) - 1), _MOST_WEIGHT)
            return (self.made.intents[intent.name] + self.rng.random() * 2) / weight

        return sorted((one for one in INTENTS.values() if self.phrases[one.name]), key=made)

    def _one(self, intent: QueryIntent) -> bool:
        """Try a sample of an intent about some thread, rather one of a rare kind."""
        threads = about(self.life, intent, intent.kinds)
        self.rng.shuffle(threads)
        for thread in sorted(threads, key=lambda thread: self.made.kinds[thread.kind]):
            known = 0 if thread.kind == ANY else id(thread)
            if self.of_thread[known] < _OF_A_THREAD and self._about(intent, thread):
                self.of_thread[known] += 1
                return True
        return False

    def _about(self, intent: QueryIntent, thread: Thread) -> bool:
        fitting = [phrase for phrase in self.phrases[intent.name] if thread.kind in phrase.kinds]
        fitting.sort(key=lambda phrase: (self.made.wordings[phrase.text], self.rng.random()))
        return any(self._worded(phrase, thread) for phrase in fitting[:_WORDINGS])

    def _worded(self, phrase: QueryPhrase, thread: Thread) -> bool:
        intent = phrase.intent
        for _ in range(_MOMENTS):
            now = intent.asked(self.life, thread, self.rng)
            asked = now and ask(self.life, phrase, thread, now, self.bank, self.rng)
            if not now or not asked:
                continue
            _, refs = self.life.document(now)
            sample = word(asked, phrase, refs, self.rng)
            if sample and sample.query.casefold() not in self.said:
                self._keep(sample, phrase)
                return True
        return False

    def _keep(self, sample: ContextSample, phrase: QueryPhrase) -> None:
        self.said.add(sample.query.casefold())
        self.made.samples.append(sample)
        self.made.intents[sample.intent] += 1
        self.made.kinds[sample.thread] += 1
        self.made.wordings[phrase.text] += 1


def write_dataset(
    out: Path,
    personas: int,
    counts: Mapping[str, int],
    seed: int,
    progress: Callable[[str, int], None] = lambda split, done: None,
) -> dict[str, dict[str, Any]]:
    """Write everything, and tell what each split holds (`figures`), with `wanted`.

    Args:
        out: the folder. personas: how many people, of both splits.
        counts: how many queries of each split. seed: decides everything drawn.
        progress: called with a split and how many of its queries are made.
    """
    (out / "devices").mkdir(parents=True, exist_ok=True)
    write_json(out / "toolbox.json", manifests(), indent=1)
    told: dict[str, dict[str, Any]] = {}
    for split, numbers in people(personas).items():
        wanted = counts.get(split, 0)
        if not wanted:
            continue
        devices: dict[str, dict[str, Any]] = {}
        lives = _lives(out, split, numbers, seed, devices)
        made = generate(lives, len(numbers), read_bank(split), wanted, seed, partial(progress, split))
        write_context_samples(out / f"{split}.jsonl", made.samples)
        told[split] = {**figures(made.samples, devices), "wanted": wanted}
    return told


def people(personas: int) -> dict[str, list[int]]:
    """The numbers of the people of each split."""
    found: dict[str, list[int]] = {split: [] for split in SPLITS}
    for number in range(personas):
        found[split_of_persona(number)].append(number)
    return found


def _lives(
    out: Path, split: str, numbers: Sequence[int], seed: int, devices: dict[str, dict[str, Any]]
) -> Iterator[Life]:
    """Lives one after the other, each written to its device file when it is needed."""
    words = LifeWords(split)
    for number in numbers:
        life = make_life(number, seed, words)
        path = f"devices/{life.persona.id}.device.json"
        devices[path] = whole(life)
        write_json(out / path, devices[path])
        yield life


# ---- figures ----

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


def content_words(text: str) -> set[str]:
    """The words of a text that could find something, without a plural's s."""
    return {_stem(word) for word in _WORD.findall(text.lower()) if len(word) > 2 and word not in listed("function")}


def _stem(word: str) -> str:
    word = word.removesuffix("'s")
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def shared_words(sample: ContextSample, document: Mapping[str, Any]) -> set[str]:
    """Content words that a query has in common with its gold items' texts."""
    asked = content_words(sample.query)
    texts = (_text(records_of(document, ref.app)[ref.ordinal]) for ref in sample.context)
    return set().union(*(asked & content_words(text) for text in texts))


def _text(record: Mapping[str, Any]) -> str:
    return " ".join(str(value) for value in record.values() if isinstance(value, str | list))


def figures(samples: Sequence[ContextSample], devices: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Counts and shares of a split.

    Args:
        samples: of the split. devices: every persona's whole device document, by the path that samples name.
    """
    shared = sum(bool(shared_words(one, document_at(devices[one.device], one.now, one.place))) for one in samples)
    count = max(len(samples), 1)
    used = {one.device for one in samples}
    usage = sum(INTENTS[one.intent].usage for one in samples)
    return {
        "queries": len(samples),
        "personas": len(used),
        "distinct_queries": len({one.query.casefold() for one in samples}),
        "gold_items": round(sum(len(one.context) for one in samples) / count, 2),
        "several_gold_items": round(sum(len(one.context) > 1 for one in samples) / count, 3),
        "share_a_content_word": round(shared / count, 3),
        "by_usage_alone": round(usage / count, 3),
        "plan_tools": len({one.tools[0] for one in samples}),
        "intents": dict(Counter(one.intent for one in samples).most_common()),
        "threads": dict(Counter(one.thread for one in samples).most_common()),
        "items": items_per_app([devices[path] for path in sorted(used)]),
    }


def items_per_app(documents: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The average number of items of each app."""
    count = max(len(documents), 1)
    return {app: round(sum(len(records_of(one, app)) for one in documents) / count, 2) for app in STORES}
