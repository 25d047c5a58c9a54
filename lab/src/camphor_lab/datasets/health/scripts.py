"""What a patient will say in a case: the complaint, the answers to questions, and the replies to an offered slot."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import TypeVar

from camphor.agents.health.case import DIETICIAN
from camphor.device.health.slots import Slot, read_hours
from camphor_lab.datasets.files import tables_beside
from camphor_lab.datasets.health.diseases import Disease

_GREETED = re.compile(r"(good (day|morning|afternoon|evening)|hello|hi|hey|dear|sorry|please|doctor)\b", re.IGNORECASE)
_LEAD, _TAIL = 0.3, 0.35  # of complaints
_WISH = re.compile(r"\[([^\]]+)\]")
_UNSURE, _OTHER_TIME, _OTHER_DAY = 0.08, 0.14, 0.06  # of offers, before the final answer


_Each = TypeVar("_Each")


class ReplyKind(StrEnum):
    """What a patient answers to an offered slot."""

    ACCEPT = "accept"
    DECLINE = "decline"
    UNSURE = "unsure"
    OTHER_TIME = "other_time"
    OTHER_DAY = "other_day"


@dataclass(frozen=True)
class PatientReply:
    """A reply in words; `wish` is the part of it that says another time: "in the afternoon"."""

    reply: ReplyKind
    text: str
    wish: str = ""


@dataclass(frozen=True)
class Voice:
    """How the patients of a split put their replies."""

    rng: Random
    split: str

    def say(self, reply: ReplyKind, slot: Slot) -> PatientReply:
        """A reply to the offer of a slot; another time that is wished is one that the slot does not meet."""
        while True:
            line = self.rng.choice(words()[reply.value][self.split])
            found = _WISH.search(line)
            wish = found[1][:1].lower() + found[1][1:] if found else ""
            hours = read_hours(schedule_of(wish)["time_range"]) if wish else None
            if hours is None or not hours.holds(slot):
                return PatientReply(reply, _WISH.sub(r"\1", line), wish)


@dataclass(frozen=True)
class Script:
    """A patient's part of an appointment case.

    Attributes:
        request: the first words. symptoms: those told by the end, in the house's words.
        questions: what must be asked before they are clear, with the answers. diet: whether help with food is wanted.
        specialist: who is right. replies: to the offers, in order; the last one is to accept or to decline.
        voice: says them.
    """

    disease: Disease
    request: str
    symptoms: tuple[str, ...]
    specialist: str
    replies: tuple[ReplyKind, ...]
    voice: Voice
    questions: tuple[tuple[str, str], ...] = ()
    diet: bool = False


def words() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """The hand-written lines by table and split."""
    return tables_beside(__file__, "patients.toml")


def told(rng: Random, split: str, disease: Disease, turn: int, ends: ReplyKind) -> Script:
    """A complaint that is clear from the start; `turn`: how often the disease was met before."""
    complaint = _turned(disease.complaints[split], turn)
    request = around(rng, split, complaint.text)
    return Script(disease, request, complaint.symptoms, disease.specialist, _replies(rng, ends), Voice(rng, split))


def unclear(rng: Random, split: str, disease: Disease, turn: int) -> Script:
    """A vague sentence that questions make clear. The disease is one whose questions are the split's (`asked_in`)."""
    ends = ReplyKind.DECLINE if rng.random() < 0.15 else ReplyKind.ACCEPT
    return Script(
        disease,
        around(rng, split, _turned(disease.vague, turn)),
        disease.cleared,
        disease.specialist,
        _replies(rng, ends),
        Voice(rng, split),
        disease.questions,
    )


def dietary(rng: Random, split: str, disease: Disease, turn: int) -> Script:
    """A mild complaint with a wish for help with food."""
    complaint = _turned(disease.complaints[split], turn)
    wish = rng.choice(words()["diet"][split])
    request = f"{wish} {complaint.text}" if rng.random() < 0.25 else f"{_ended(complaint.text)} {wish}"
    ends = ReplyKind.DECLINE if rng.random() < 0.1 else ReplyKind.ACCEPT
    return Script(disease, request, complaint.symptoms, DIETICIAN, _replies(rng, ends), Voice(rng, split), diet=True)


def _turned(choices: Sequence[_Each], turn: int) -> _Each:
    return choices[turn % len(choices)]


def around(rng: Random, split: str, text: str) -> str:
    """The sentence, often with words before or after it."""
    tables = words()
    if rng.random() < _LEAD and not _GREETED.match(text):
        text = f"{rng.choice(tables['lead'][split])} {text}"
    if rng.random() < _TAIL:
        text = f"{_ended(text)} {rng.choice(tables['tail'][split])}"
    return text


def _ended(text: str) -> str:
    return text if text[-1] in ".?!)" else f"{text}."


def _replies(rng: Random, ends: ReplyKind) -> tuple[ReplyKind, ...]:
    draw = rng.random()
    if draw < _UNSURE:
        return ReplyKind.UNSURE, ends
    if draw < _UNSURE + _OTHER_TIME:
        return ReplyKind.OTHER_TIME, ends
    return (ReplyKind.OTHER_DAY, ends) if draw < _UNSURE + _OTHER_TIME + _OTHER_DAY else (ends,)


def schedule_of(wish: str) -> dict[str, str]:
    """The `user_schedule` of a wish: "after 17:00" is 17:00-22:00, "on Friday" friday, "in the morning" morning.

    Raises:
        ValueError: a wish of no such form.
    """
    if found := re.fullmatch(r"after (\d\d:\d\d)", wish):
        return {"time_range": f"{found[1]}-22:00"}
    if found := re.fullmatch(r"before (\d\d:\d\d)", wish):
        return {"time_range": f"06:00-{found[1]}"}
    if found := re.fullmatch(r"(?:in the|on a|on) (\w+)", wish):
        return {"time_range": found[1].lower()}
    raise ValueError(f"{wish!r} names no time")
