"""Simulates the lives: who the people are, what goes on with them, and weeks of use of their phones (Appendix A)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random

from camphor_lab.datasets.context.lives import KINDS, Life
from camphor_lab.datasets.context.maker import Maker
from camphor_lab.datasets.context.personas import make_persona
from camphor_lab.datasets.context.threads import TABLE, fill_up
from camphor_lab.datasets.context.words import Words

PERSONAS = 791
SIZES = {
    "mail": 2.93,
    "calendar": 5.63,
    "google": 9.57,
    "music": 4.38,
    "reminders": 4.81,
    "notes": 2.23,
    "phone": 2.34,
}
"""Average items of each app (Table 4)."""
TEST_SHARE = 936 / (4338 + 936)
"""The share of people who are for the test: that of their queries in the paper's data (section 3.1)."""
SPARE = {"google": 0.35}
SPARE_OTHERS = 0.2
"""The share of each app that no thread gets: errands, spam, songs heard once."""
WEEKS = (4, 8)
MOST_THREADS = 12
_FIRST_END = datetime(2025, 9, 1)
_LAST_MONTHS = 300


def split_of_persona(number: int) -> str:
    """`train` or `test` for the person of this number: the test's are spread evenly."""
    return "test" if math.floor((number + 1) * TEST_SHARE) > math.floor(number * TEST_SHARE) else "train"


def make_lives(count: int = PERSONAS, seed: int = 0) -> Iterator[Life]:
    """So many lives, in the order of their numbers; the same for the same seed, whatever `count` is."""
    banks = {split: Words(split) for split in ("train", "test")}
    return (make_life(number, seed, banks[split_of_persona(number)]) for number in range(count))


def make_life(number: int, seed: int, words: Words | None = None) -> Life:
    """The life of one person; `words` may be passed so that the bank is divided once."""
    rng = Random(f"life:{seed}:{number}")
    words = words or Words(split_of_persona(number))
    persona, people = make_persona(f"p{number:04d}", words, rng)
    last = _FIRST_END + timedelta(days=rng.randrange(_LAST_MONTHS))
    begin = last - timedelta(days=7 * rng.randint(*WEEKS) + rng.randrange(7))
    m = Maker(persona, people, words, rng, (begin, last.replace(hour=rng.randint(19, 23), minute=rng.randrange(60))))
    spare = {}
    for app, mean in SIZES.items():
        size = _rounded(mean * rng.uniform(0.5, 1.5), rng)
        spare[app] = min(size, _rounded(size * SPARE.get(app, SPARE_OTHERS), rng))
        m.room[app] = size - spare[app]
    _threads(m)
    for app, count in spare.items():
        m.room[app] += count
    fill_up(m)
    return m.life()


def _threads(m: Maker) -> None:
    # weighted order without replacement: the larger key first (Efraimidis and Spirakis, 2006)
    order = sorted(KINDS, key=lambda kind: m.rng.random() ** (1 / TABLE[kind].weight), reverse=True)
    for name in order:
        kind = TABLE[name]
        if len(m.threads) < MOST_THREADS and kind.fits(m.persona) and m.has_room(kind.needs):
            kind.make(m)


def _rounded(value: float, rng: Random) -> int:
    """Up or down, so that the average stays."""
    low = math.floor(value)
    return low + (rng.random() < value - low)
