"""Implicit queries over simulated lives, balanced over what people want (Context Tuning, Appendix A.1)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from random import Random

from camphor_lab.datasets.context.intents import ANY, INTENTS, Intent
from camphor_lab.datasets.context.lives import Life, Thread
from camphor_lab.datasets.context.phrases import Bank, Phrase
from camphor_lab.datasets.context.queries import about, ask, word
from camphor_lab.datasets.context.samples import ContextSample

_WORDINGS, _MOMENTS = 4, 3  # tried of a thread, and of a wording
_OF_A_THREAD = 2  # queries of a life at most
_KINDS = 0.15  # how much more often an intent is asked for each further kind that it has
_MOST_WEIGHT = 2.5


@dataclass
class Made:
    """The samples of a split, and how often something was asked."""

    samples: list[ContextSample] = field(default_factory=list)
    intents: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    wordings: Counter[str] = field(default_factory=Counter)


def generate(
    lives: Iterable[Life], people: int, bank: Bank, count: int, seed: int, progress: Callable[[int], None]
) -> Made:
    """Samples of one split; the same arguments give the same samples.

    Args:
        lives: of the split's personas. people: how many they are.
        bank: the split's wordings.
        count: how many samples are wanted; fewer where the lives have no more to ask about.
        seed: decides everything drawn.
        progress: called with how many are made.
    """
    made = Made()
    by_intent: dict[str, list[Phrase]] = defaultdict(list)
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

    def __init__(self, life: Life, bank: Bank, phrases: Mapping[str, list[Phrase]], made: Made, rng: Random) -> None:
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

    def _rarest_first(self) -> list[Intent]:
        def made(intent: Intent) -> float:
            weight = min(1 + _KINDS * (len(intent.kinds) - 1), _MOST_WEIGHT)
            return (self.made.intents[intent.name] + self.rng.random() * 2) / weight

        return sorted((one for one in INTENTS.values() if self.phrases[one.name]), key=made)

    def _one(self, intent: Intent) -> bool:
        """Try a sample of an intent about some thread, rather one of a rare kind."""
        threads = about(self.life, intent, intent.kinds)
        self.rng.shuffle(threads)
        for thread in sorted(threads, key=lambda thread: self.made.kinds[thread.kind]):
            known = 0 if thread.kind == ANY else id(thread)
            if self.of_thread[known] < _OF_A_THREAD and self._about(intent, thread):
                self.of_thread[known] += 1
                return True
        return False

    def _about(self, intent: Intent, thread: Thread) -> bool:
        fitting = [phrase for phrase in self.phrases[intent.name] if thread.kind in phrase.kinds]
        fitting.sort(key=lambda phrase: (self.made.wordings[phrase.text], self.rng.random()))
        return any(self._worded(phrase, thread) for phrase in fitting[:_WORDINGS])

    def _worded(self, phrase: Phrase, thread: Thread) -> bool:
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

    def _keep(self, sample: ContextSample, phrase: Phrase) -> None:
        self.said.add(sample.query.casefold())
        self.made.samples.append(sample)
        self.made.intents[sample.intent] += 1
        self.made.kinds[sample.thread] += 1
        self.made.wordings[phrase.text] += 1
