"""Keeps a test split wide: no skeleton used often, no two queries alike."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence

from camphor.datasets.items import Item
from camphor.device.text import words

# ROUGE-L F from which two queries count as one; Self-Instruct drops from 0.7 (arXiv 2212.10560, section 2.2).
ALIKE = 0.75
A_SHARE = 4 / 700  # of the split, for one skeleton
A_PAIR = 2  # uses of one skeleton on two neighbouring phones


class Spread:
    """What a split has used so far.

    Args:
        wanted: number of items that the split shall have; None: nothing is kept apart (training may repeat itself).
    """

    def __init__(self, wanted: int | None) -> None:
        self.most = None if wanted is None else max(2, round(wanted * A_SHARE))
        self._used: Counter[str] = Counter()
        self._phones: deque[Counter[str]] = deque([Counter()], maxlen=2)
        self._phone = ""
        self._queries: list[tuple[Counter[str], list[str]]] = []
        self._where: dict[str, list[int]] = {}

    def open(self, lines: Iterable[str]) -> tuple[str, ...]:
        """The skeletons that may still be used."""
        if self.most is None:
            return tuple(lines)
        return tuple(line for line in lines if self._may(line))

    def _may(self, line: str) -> bool:
        assert self.most is not None
        return self._used[line] < self.most and sum(phone[line] for phone in self._phones) < A_PAIR

    def fits(self, item: Item) -> bool:
        """False where the item's skeletons are used up, or its query is like one that is there."""
        if self.most is None:
            return True
        lines: list[str] = list(item.extra.get("skeletons", ()))
        return all(self._may(line) for line in lines) and not self._alike(_said(item))

    def _alike(self, query: Sequence[str]) -> bool:
        """Only queries that share enough words are compared in their order: about one in a thousand."""
        mine, shared = Counter(query), Counter[int]()
        for word in mine:
            shared.update(self._where.get(word, ()))
        for number, count in shared.items():
            other, said = self._queries[number]
            needed = ALIKE * (len(query) + len(said)) / 2
            if count * 2 < needed:  # few queries say many words twice: a cheap bar before the exact one
                continue
            if sum((mine & other).values()) >= needed and _common(query, said) >= needed:
                return True
        return False

    def add(self, items: Iterable[Item], phone: str) -> None:
        """Take in the items of a phone."""
        if self.most is None:
            return
        if phone != self._phone:
            self._phone = phone
            self._phones.append(Counter())
        for item in items:
            lines = list(item.extra.get("skeletons", ()))
            self._used.update(lines)
            self._phones[-1].update(lines)
            said = _said(item)
            for word in set(said):
                self._where.setdefault(word, []).append(len(self._queries))
            self._queries.append((Counter(said), said))


def _said(item: Item) -> list[str]:
    """All that was said: "play it" after two different questions is not the same conversation."""
    return list(words(" ".join([*(str(turn["query"]) for turn in item.history), item.query])))


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(second) + 1)
    for word in first:
        before = 0
        for place, other in enumerate(second, start=1):
            before, row[place] = row[place], before + 1 if word == other else max(row[place], row[place - 1])
    return row[-1]


def rouge_l(first: str, second: str) -> float:
    """ROUGE-L F of two texts (Lin 2004, section 3), over words without case and accents."""
    one, two = words(first), words(second)
    return 2 * _common(one, two) / (len(one) + len(two)) if one and two else 0.0
