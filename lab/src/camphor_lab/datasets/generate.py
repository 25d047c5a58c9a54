"""Makes datasets: seeded, resumable, every gold value checked by replay on the device, no two queries alike.

Candidates are drawn in shards (`shards`), on as many processes or machines as there are. Here they are taken in the
order of the shards' numbers, so that the files are the same however they were made.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import TextIO

from camphor.device.text import words
from camphor.errors import UsageError
from camphor.trajectories.items import Item, read_item, read_items
from camphor_lab.datasets.bank import ROOT, load, most_of, strings
from camphor_lab.datasets.files import write_text
from camphor_lab.datasets.parallel import Here, Pool, in_order
from camphor_lab.datasets.shards import PHONES, PhoneCandidates, ShardRecipe, read_shard
from camphor_lab.datasets.similarity import ALIKE, Similar, rouge_l, tokens
from camphor_lab.datasets.wishes import PROGRAMS

TRAIN, TEST = 2728, 682  # CAMPHOR section 4: 3,410 queries, four fifths for training
SPLITS = ("test", "train")  # the test first, so that training keeps away from it
ITEMS_A_PHONE = 12
MOST_IDLE = 12  # shards in a row of which nothing was taken: the bank says nothing new
Progress = Callable[[int, int], None]
# Texts that a person makes up and an action carries, as against values that name what is on the phone.
FREE_TEXT = {
    "send_imessage_message": "content",
    "send_mail": "content",
    "create_notes": "content",
    "create_reminders": "content",
    "create_calendar_event": "event_title",
    "create_instagram_post": "content",
}


@dataclass
class DatasetSummary:
    """What a file holds, by situation and by number of calls; and what this run turned down, by reason.

    `alike` are queries like one before, `worn` those with a skeleton used up, `known` with a text of the other split,
    and `refused` what replay refused.
    """

    written: int = 0
    situations: Counter[str] = field(default_factory=Counter)
    sizes: Counter[int] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    alike: int = 0
    worn: int = 0
    known: int = 0

    def count(self, item: Item) -> None:
        self.written += 1
        self.situations[str(item.extra.get("situation", ""))] += 1
        self.sizes[len(item.calls or ())] += 1


def sizes_of(split: str | None, count: int | None) -> dict[str, int]:
    """How many queries of which split, in the order in which they are made: `count` of one, or divided four to one."""
    if split is not None:
        return {split: count if count is not None else (TRAIN if split == "train" else TEST)}
    whole = count if count is not None else TRAIN + TEST
    test = round(whole * TEST / (TRAIN + TEST))
    return {name: size for name, size in (("test", test), ("train", whole - test)) if size}


def generate(
    out: Path | str,
    *,
    split: str = "train",
    count: int | None = None,
    seed: int = 7,
    items_a_phone: int = ITEMS_A_PHONE,
    only: Sequence[str] = (),
    progress: Progress | None = None,
    pool: Pool | None = None,
) -> DatasetSummary:
    """Write `OUT/SPLIT.jsonl` and the device files beside it; a run that was stopped goes on where it stopped.

    Queries that are like one before are left out; where the folder holds the other split, so are queries like one of
    its, and actions that carry a text which one of its carries.

    Args:
        count: number of items; the paper's sizes by default. Where the folder holds more, they stay; where the bank has
            no more to say, the file stays shorter.
        items_a_phone: queries drawn for one phone before the next phone is made; fewer may be taken.
        only: the situations that are drawn, each wish alone; all in their mix unless given.
        progress: told the number of items written and the number wanted, after each shard.
        pool: what draws the candidates; this process unless given. It stays open.

    Raises:
        UsageError: there is no such situation, or the folder holds a run of other settings, which this one would not
            continue.
        CamphorError: a worker was killed.
    """
    if unknown := sorted(set(only) - PROGRAMS.keys()):
        raise UsageError(f"There is no situation {unknown[0]!r}: choose from {', '.join(sorted(PROGRAMS))}")
    folder = Path(out)
    (folder / "devices").mkdir(parents=True, exist_ok=True)
    wanted = sizes_of(split, count)[split]
    target = folder / f"{split}.jsonl"
    settings = {"seed": seed, "items_a_phone": items_a_phone, "bank": _bank_digest()}
    settings |= {"only": list(only)} if only else {}
    _same_settings(folder / f"{split}.settings.json", settings, target)
    waiting = folder / f"{split}.shards"
    if not target.exists():  # somebody removed it: what is waiting may be of other settings
        shutil.rmtree(waiting, ignore_errors=True)
    taker = _Taker(split)
    for other in SPLITS:
        if other != split and (folder / f"{other}.jsonl").exists():
            taker.keep_away(read_items(folder / f"{other}.jsonl"))
    first = _resume(target, taker, split, wanted)
    if taker.summary.written >= wanted:
        return taker.summary
    pool = pool or Here()
    idle, before = 0, taker.summary.written
    with target.open("a", encoding="utf-8") as file:
        while taker.summary.written < wanted and idle < MOST_IDLE:
            recipe = ShardRecipe(split, seed, items_a_phone, *taker.skeletons(), tuple(only))
            end = _round_end(split, first)
            with closing(in_order(pool, recipe, waiting, first, end)) as shards:
                for path in shards:
                    shard = read_shard(path.read_text(encoding="utf-8"))
                    path.unlink()
                    _write(folder, file, [(candidates, taker.take(candidates, wanted)) for candidates in shard])
                    if progress:
                        progress(taker.summary.written, wanted)
                    idle = idle + 1 if taker.summary.written == before else 0
                    before = taker.summary.written
                    if taker.summary.written >= wanted or idle >= MOST_IDLE:
                        break
            first = end
    shutil.rmtree(waiting)
    return taker.summary


def _write(folder: Path, file: TextIO, taken: Sequence[tuple[PhoneCandidates, list[str]]]) -> None:
    """The phones of which something was taken, and the items, last: what stands in the file has its phone."""
    for candidates, lines in taken:
        if lines:
            path = folder / "devices" / f"{candidates.phone}.device.json"
            path.write_text(candidates.device, encoding="utf-8")
            file.write("".join(lines))
    file.flush()


def _round_end(split: str, first: int) -> int:
    """The shards of a test split are drawn in rounds, each told what skeletons were used before it; training in one.

    Rounds grow by an eighth, so that a large split keeps many processes busy and a small one spreads well.
    """
    return first + max(1, first // 8) if split == "test" else sys.maxsize


class _Taker:
    """Decides which candidates are taken. What it decides rests on what was taken before, and on nothing else."""

    def __init__(self, split: str) -> None:
        self.summary = DatasetSummary()
        self._near = Similar(included=True, frequency=word_frequency())
        self._used: Counter[str] | None = Counter() if split == "test" else None
        self._apart: set[str] = set()

    def take(self, candidates: PhoneCandidates, wanted: int) -> list[str]:
        """The lines that are taken."""
        taken = []
        self.summary.refused.update(candidates.refused)
        for number, line in enumerate(candidates.lines, start=1):
            item = read_item(line, candidates.phone, number)
            if self.summary.written >= wanted:
                break
            if self._used is not None:
                most = most_of(self.summary.written)
                if any(self._used[line] >= most for line in item.extra["skeletons"]):
                    self.summary.worn += 1
                    continue
            if self._apart and not self._apart.isdisjoint(free_texts(item)):
                self.summary.known += 1
                continue
            if self._alike(said(item)):
                self.summary.alike += 1
                continue
            self.add(item)
            taken.append(line)
        return taken

    def skeletons(self) -> tuple[int | None, dict[str, int]]:
        """How often one may be used, and how often each was; no bounds in training."""
        return (None, {}) if self._used is None else (most_of(self.summary.written), dict(self._used))

    def _alike(self, texts: Sequence[str]) -> bool:
        """Like one before, or one like another among them: people who say a thing again say it in other words."""
        return any(map(self._near.alike, texts)) or any(rouge_l(*pair) >= ALIKE for pair in combinations(texts, 2))

    def add(self, item: Item) -> None:
        self.summary.count(item)
        for text in said(item):
            self._near.add(text)
        if self._used is not None:
            self._used.update(item.extra.get("skeletons", ()))

    def keep_away(self, items: Iterable[Item]) -> None:
        """From the items of the other split."""
        for item in items:
            self._apart.update(free_texts(item))
            for text in said(item):
                self._near.add(text)


def said(item: Item) -> list[str]:
    """The queries of a conversation."""
    return [*(str(turn["query"]) for turn in item.history), item.query]


def free_texts(item: Item) -> Iterator[str]:
    """The texts made up in the gold calls of all turns, folded to words; where several are right, each."""
    for calls in (*(turn.get("calls") or () for turn in item.history), item.calls or ()):
        for call in calls:
            value = call.get("arguments", {}).get(FREE_TEXT.get(call["name"], ""))
            options = value["any_of"] if isinstance(value, dict) and "any_of" in value else [value]
            yield from (" ".join(words(option)) for option in options if isinstance(option, str))


def word_frequency() -> Mapping[str, int]:
    """How often words stand in the bank: an estimate of how often they stand in queries."""
    counts: Counter[str] = Counter()
    for text in strings(load()):
        counts.update(tokens(text))
    return counts


def _bank_digest() -> str:
    digest = hashlib.sha256()
    for path in sorted(ROOT.glob("*/*.toml")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _same_settings(path: Path, settings: Mapping[str, object], target: Path) -> None:
    if target.exists() and path.exists() and json.loads(path.read_text(encoding="utf-8")) != settings:
        raise UsageError(
            f"{target} was begun with other settings or another language bank ({path.name}): choose another folder, "
            "or remove it"
        )
    path.write_text(json.dumps(settings), encoding="utf-8")


def _resume(target: Path, taker: _Taker, split: str, wanted: int) -> int:
    """Take in what is there, and give the shard to go on with; the last round of shards is taken out and made again."""
    if not target.exists():
        return 0
    *whole, _ = target.read_text(encoding="utf-8").split("\n")  # what follows the last line's end was cut off
    lines = [line + "\n" for line in whole]
    shards = [_phone_number(line) // PHONES for line in lines]
    begun = shards[-1] if shards else 0
    if split == "test":
        first = 0
        while (end := _round_end(split, first)) <= begun:
            first = end
        begun = first
    if len(lines) < wanted:
        lines = [line for line, shard in zip(lines, shards, strict=True) if shard < begun]
        write_text(target, "".join(lines))
    for number, line in enumerate(lines, start=1):
        taker.add(read_item(line, str(target), number))
    return begun


def _phone_number(line: str) -> int:
    return int(Path(json.loads(line)["device"]).name.split(".")[0].rsplit("-", 1)[1])
