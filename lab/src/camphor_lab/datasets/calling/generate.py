"""Makes samples of function calls from a bank of phrases: fills, joins, restyles, and keeps only what is new and true.

Follows DroidCall's data (section 3.2.3): simple samples have one call, complex ones several, of which some use the
result of another. No two queries of a split, and none of training and test, have a ROUGE-L F of 0.75 (section 3.2.1,
SimilarityFilter).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from random import Random
from statistics import fmean
from typing import Any

from camphor.tools.plans import Plan, Reference, references
from camphor.trajectories.call_samples import CallSample
from camphor.types import Call
from camphor_lab.datasets import bank as language
from camphor_lab.datasets.calling.bank import CallBank, CallPhrase, Filled, fill
from camphor_lab.datasets.calling.clauses import connect
from camphor_lab.datasets.calling.slots import SlotSampler
from camphor_lab.datasets.calling.times import NoWords
from camphor_lab.datasets.diversity import distinct
from camphor_lab.datasets.similarity import Similar, tokens
from camphor_lab.datasets.style import LOWERED, STYLES, as_said, restyle

SEVERAL = 0.40
"""Of samples have several calls: two side by side five times for every three that have three or are nested."""
LEADS, TAILS, STOPS = 0.14, 0.08, 0.35  # of queries: small talk in front and behind, and a full stop
NESTED = 0.7  # of the third share have a call that uses another's result, its own function's where it has such phrases
TIRED = 40  # failures in a row after which a function has no more samples of a kind
_FIRST_DAY, _DAYS = datetime(2025, 1, 6), 1090
_WHOLE = re.compile(r"://|\S@\S|\.\w{2,4}\b")  # what small letters would change

Progress = Callable[[int, int], None]


@dataclass
class MadeCalls:
    """The samples of a split, and why others were dropped."""

    samples: list[CallSample] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)


def generate(
    bank: CallBank,
    count: int,
    *,
    seed: int,
    near: Similar | None = None,
    first: Iterable[CallSample] = (),
    shares: Mapping[str, float] | None = None,
    several: float = SEVERAL,
    progress: Progress | None = None,
) -> MadeCalls:
    """Samples of one split; the same arguments give the same samples.

    Args:
        bank: the split's phrases and values.
        count: how many at most; fewer where the bank has no more that differ.
        seed: decides everything drawn.
        near: queries that no sample may be like; those made here are added.
        first: samples from elsewhere, which are taken in before others are made, where no other is like them.
        shares: how much more often than others a function is called (`variety`); all alike unless given.
        several: the share of samples with several calls.
        progress: called with how many are made and wanted.
    """
    near = Similar(included=True, frequency=frequency_of(bank)) if near is None else near
    maker = _SampleMaker(bank, Random(f"{seed}:{bank.split}"), near, shares or {}, several)
    for sample in first:
        maker.keep(sample)
    while len(maker.made.samples) < count:
        kind = maker.kind()
        if kind is None:
            break
        maker.one(kind)
        if progress:
            progress(len(maker.made.samples), count)
    samples = maker.made.samples
    maker.rng.shuffle(samples)
    maker.made.samples = [replace(sample, id=f"{bank.split}-{n:05d}") for n, sample in enumerate(samples, 1)]
    return maker.made


def variety(bank: CallBank) -> dict[str, float]:
    """How much there is to learn about each function: the root of the number of sets of arguments that phrases give it.

    An alarm, of which people say hour, days, label and sound in any choice, needs more samples than the camera, and so
    do the settings, each page of which has its own words.
    """
    sets: dict[str, set[frozenset[str]]] = {}
    for phrase in bank.phrases:
        for call in phrase.calls:
            parts = {f"{name}.{part}" for name, of in call.arguments.items() if isinstance(of, Mapping) for part in of}
            fixed = {f"{name}={of}" for name, of in call.arguments.items() if _is_fixed(of)}
            sets.setdefault(call.name, set()).add(frozenset({*call.arguments, *parts, *fixed}))
    return {name: math.sqrt(len(found)) for name, found in sets.items()}


def _is_fixed(value: Any) -> bool:
    """Whether a phrase gives an argument one value: a page of the settings, a flag that is on or off."""
    return isinstance(value, bool) or (isinstance(value, str) and "{" not in value)


def frequency_of(*banks: CallBank) -> Counter[str]:
    """How often words are met in the phrases: what `Similar` needs to be fast."""
    return Counter(word for bank in banks for phrase in bank.phrases for text in phrase.texts for word in tokens(text))


class _SampleMaker:
    """One run over a bank: what was used how often, and what is used up."""

    def __init__(self, bank: CallBank, rng: Random, near: Similar, shares: Mapping[str, float], several: float) -> None:
        self.bank, self.rng, self.near, self.shares = bank, rng, near, shares
        self.kind_shares = {
            "simple": round(1 - several, 6),
            "two": round(several * 0.625, 6),
            "three": round(several * 0.375, 6),
        }
        self.made = MadeCalls()
        self.language = language.Bank(bank.split)
        self.functions: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self._used: Counter[tuple[str, str]] = Counter()
        self._failed: Counter[tuple[str, str]] = Counter()
        self._of = {
            "simple": _by_function(bank, lambda phrase: len(phrase.calls) == 1),
            "several": _by_function(bank, lambda phrase: len(phrase.calls) > 1 and not phrase.nested),
            "nested": _by_function(bank, lambda phrase: phrase.nested),
        }

    def kind(self) -> str | None:
        """The kind that lacks most, among those that are not used up."""
        total = sum(self.kinds.values()) + 1
        open_ = [kind for kind in self.kind_shares if self._targets(kind)]
        return max(open_, key=lambda kind: self.kind_shares[kind] - self.kinds[kind] / total, default=None)

    def _targets(self, kind: str) -> list[str]:
        names = {"simple": self._of["simple"], "two": {**self._of["simple"], **self._of["several"]}}.get(kind)
        if names is None:
            names = {**self._of["simple"], **self._of["nested"]}
        return [name for name in names if self._failed[kind, name] < TIRED]

    def one(self, kind: str) -> None:
        """Try a sample of a kind for the function that has the fewest of it."""
        targets = self._targets(kind)
        had = {name: self.functions[name] / self.shares.get(name, 1.0) for name in targets}
        fewest = min(had.values())
        target = self.rng.choice([name for name in targets if had[name] == fewest])
        sample = self._sample(kind, target)
        if sample is None or not self.keep(sample, kind):
            self._failed[kind, target] += 1
            return
        self._failed[kind, target] = 0

    def keep(self, sample: CallSample, kind: str = "") -> bool:
        """Take a sample in, unless a query is like it."""
        if self.near.alike(sample.query):
            self.made.dropped["alike"] += 1
            return False
        self.near.add(sample.query)
        self.made.samples.append(sample)
        self.kinds[kind or kind_of(sample.answers)] += 1
        self.functions.update({call.name for call in sample.answers})
        return True

    def _sample(self, kind: str, target: str) -> CallSample | None:
        days, minutes = self.rng.randrange(_DAYS), self.rng.randrange(6 * 60, 23 * 60)
        now = _FIRST_DAY + timedelta(days=days, minutes=minutes)
        sampler = SlotSampler(self.rng, self.bank.split, now, self.bank.values)
        try:
            parts = [fill(phrase, text, sampler) for phrase, text in self._choose(kind, target)]
        except NoWords:
            self.made.dropped["no words"] += 1
            return None
        text, parts = connect(self.language, self.rng, parts)
        query = self._styled(text, parts)
        if query is None:
            self.made.dropped["too long"] += 1
            return None
        sample = sample_of(query[0], query[1], parts, now)
        if sample is None:
            self.made.dropped["not inferable"] += 1
        return sample

    # ---- choice of phrases ----

    def _choose(self, kind: str, target: str) -> list[tuple[CallPhrase, str]]:
        simple, several, nested = self._of["simple"], self._of["several"], self._of["nested"]
        if kind == "simple":
            return [self._least_used(simple[target])]
        if kind == "two":
            if target in several and (target not in simple or self.rng.random() < 0.3):
                return [self._least_used(several[target])]
            return [self._least_used(simple[target]), self._other(target)]
        if target in nested and (target not in simple or self.rng.random() < NESTED):
            chosen = self._least_used(nested[target])
            return [chosen, self._other(target)] if chosen[0].join and self.rng.random() < 0.25 else [chosen]
        chains = [phrase for phrase in self.bank.phrases if phrase.nested and phrase.join]
        if chains and self.rng.random() < NESTED:
            return [self._least_used(simple[target]), self._least_used(chains)]
        first, second = self._least_used(simple[target]), self._other(target)
        return [first, second, self._other(target, second[0].functions[0])]

    def _other(self, *taken: str) -> tuple[CallPhrase, str]:
        """A phrase to be joined: of another function mostly, rather a rare one."""
        names = [name for name in self._of["simple"] if name not in taken or self.rng.random() < 0.05]
        names = [name for name in names or list(self._of["simple"]) if self._joinable(name)]
        if not names:
            raise NoWords("a phrase to be joined")
        weights = [self.shares.get(name, 1.0) / (1 + self.functions[name]) for name in names]
        return self._least_used(self._joinable(self.rng.choices(names, weights)[0]))

    def _joinable(self, name: str) -> list[CallPhrase]:
        return [phrase for phrase in self._of["simple"][name] if phrase.join]

    def _least_used(self, phrases: Sequence[CallPhrase]) -> tuple[CallPhrase, str]:
        wordings = [(phrase, text) for phrase in phrases for text in phrase.texts]
        fewest = min(self._used[phrase.place, text] for phrase, text in wordings)
        phrase, text = self.rng.choice([each for each in wordings if self._used[each[0].place, each[1]] <= fewest + 1])
        self._used[phrase.place, text] += 1
        return phrase, text

    # ---- style ----

    def _styled(self, text: str, parts: Sequence[Filled]) -> tuple[str, str] | None:
        """The query as one person would put it, with the style's name; None where nobody says as much."""
        values, kept = self.bank.values, [words for part in parts for words in part.kept]
        style = self.rng.choice(STYLES)
        runs_on = any(part.open_end for part in parts[:-1])  # without marks nobody knows where free words end
        fragile = any(_WHOLE.search(words) and words != words.lower() for words in kept)
        if (style in LOWERED and fragile) or (style == "dictated" and runs_on):
            style = "plain"
        if "lead" in values and self.rng.random() < LEADS:
            text = f"{self.rng.choice(values['lead'])} {text[:1].upper()}{text[1:]}"
        if "tail" in values and style != "dictated" and self.rng.random() < TAILS:
            mark = "" if text[-1] in ".?!" else "."
            text = f"{text}{mark} {self.rng.choice(values['tail'])}"
        if text[-1].isalnum() and style not in (*LOWERED, "terse") and self.rng.random() < STOPS:
            text += "."
        query = restyle(text, style, self.rng, kept)
        return (query, style) if len(query) <= 600 else None


def _by_function(bank: CallBank, fits: Callable[[CallPhrase], bool]) -> dict[str, list[CallPhrase]]:
    found: dict[str, list[CallPhrase]] = {}
    for phrase in bank.phrases:
        if fits(phrase):
            for name in phrase.functions:
                found.setdefault(name, []).append(phrase)
    return found


def kind_of(plan: Plan) -> str:
    """Which share a sample counts to."""
    if len(plan) < 2:
        return "simple"
    return "three" if len(plan) > 2 or any(tag == "nested" for tag in tags_of(plan)) else "two"


def tags_of(plan: Plan) -> tuple[str, ...]:
    """What a sample is called in reports: its kind, then its functions."""
    nested = any(True for call in plan for _ in references(call))
    kinds = ("simple",) if len(plan) < 2 else ("complex", "nested") if nested else ("complex",)
    return (*kinds, *dict.fromkeys(call.name for call in plan))


# ---- gold in the words of the query ----------------------------------------------------------------------------------


def sample_of(query: str, style: str, parts: Sequence[Filled], now: datetime) -> CallSample | None:
    """The sample of joined parts; None where the query does not say a value, or the words of one that is computed.

    What is copied stands in the answers as the query has it: a query without capitals gives values without capitals.
    """
    calls: list[Call] = []
    said: dict[str, str] = {}
    for part in parts:
        offset = len(calls)
        for place, wordings in part.sources.items():
            number, _, rest = place.partition(".")
            words = next(filter(None, (_find(query, style, wording) for wording in wordings)), None)
            if words is None:
                return None
            said[f"{offset + int(number)}.{rest}"] = words
        reader = _Reader(query, style, part.copied, offset)
        calls += (Call(call.name, reader.read(call.arguments, str(number))) for number, call in enumerate(part.calls))
        if reader.lost:
            return None
    plan = tuple(calls)
    dated = now if any(part.dated for part in parts) else None
    return CallSample("", query, plan, dated, said, tags_of(plan))


@dataclass
class _Reader:
    """Finds copied values in the query and moves references; `lost` where a value is not said."""

    query: str
    style: str
    copied: frozenset[str]
    offset: int
    lost: bool = False

    def read(self, value: Any, place: str) -> Any:
        if isinstance(value, Reference):
            return Reference(value.to + self.offset)
        if isinstance(value, Mapping):
            return {name: self.read(each, f"{place}.{name}") for name, each in value.items()}
        if isinstance(value, list):
            return [self.read(each, f"{place}.{at}") for at, each in enumerate(value)]
        if not isinstance(value, str) or place not in self.copied:
            return value
        found = _find(self.query, self.style, value)
        self.lost |= found is None
        return found


def _find(query: str, style: str, words: str) -> str | None:
    """The words as the query has them, whatever their capitals; as they are given, where they stand so too."""
    lowered = query.lower()
    wordings = (words, as_said(words, style))
    tries = [(query, wanted) for wanted in wordings]
    if len(lowered) == len(query):  # a few letters have longer small forms
        tries += [(lowered, wanted.lower()) for wanted in wordings]
    for text, wanted in tries:
        at = _place(text, wanted)
        if at >= 0:
            return query[at : at + len(wanted)]
    return None


def _place(text: str, part: str) -> int:
    """Where the part stands first in the text as whole words; -1 where it does not."""
    at = text.find(part) if part else -1
    while at >= 0:
        end = at + len(part)
        if not (at and _letter(text[at - 1])) and not (end < len(text) and _letter(text[end])):
            break
        at = text.find(part, at + 1)
    return at


def _letter(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


_SUBSET = 500  # distinct-n falls with size, so it is taken over so many queries at most


def figures(samples: Sequence[CallSample], seed: int = 0) -> dict[str, Any]:
    """Figures of a split.

    Returns:
        `samples`, `kinds` (by number of calls, and nested), `functions` (in how many samples each is called),
        `calls_per_sample`, `words` (least, mean and most of a query), `distinct_1` and `distinct_2` (shares of words
        and pairs of words that are new, over 500 queries: Li et al. 2016), `tags` other than functions.
    """
    if not samples:
        return {"samples": 0}
    lengths = [len(sample.query.split()) for sample in samples]
    subset = list(samples) if len(samples) <= _SUBSET else Random(seed).sample(list(samples), _SUBSET)
    words = [tokens(sample.query) for sample in subset]
    kinds = Counter(f"{len(sample.answers)} calls" for sample in samples)
    kinds["nested"] = sum(any(True for call in sample.answers for _ in references(call)) for sample in samples)
    functions = Counter(name for sample in samples for name in {call.name for call in sample.answers})
    tags = Counter(tag for sample in samples for tag in sample.tags if tag not in functions)
    return {
        "samples": len(samples),
        "kinds": dict(sorted(kinds.items())),
        "calls_per_sample": round(fmean(len(sample.answers) for sample in samples), 3),
        "words": {"least": min(lengths), "mean": round(fmean(lengths), 1), "most": max(lengths)},
        "distinct_1": distinct(words, 1, 3),
        "distinct_2": distinct(words, 2, 3),
        "tags": dict(tags.most_common()),
        "functions": dict(functions.most_common()),
    }
