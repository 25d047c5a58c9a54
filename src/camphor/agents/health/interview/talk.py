"""The coded interview: the complaint, at most five questions of the list, the specialist, an offered slot.

Like `loop.settle` it does no I/O: it yields an `Act` for a call, is sent what was seen, and yields each turn once it is
taken, so that both strategies are driven, shown and recorded alike. No language model is asked. What is kept is
assembled of the person's words and the questions of the list (`record`); no sentence is put twice.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import StrEnum
from typing import Any

from camphor.agents.health.case import CLOSED, GENERAL, Called, Case, PlannerTurn, Seen
from camphor.agents.health.interview.heard import (
    OfferReply,
    cannot_be_pregnant,
    hear,
    is_about_another,
    is_bare,
    opening,
    phrases,
    replied,
    wanted_specialist,
)
from camphor.agents.health.interview.heard import (
    SpeechAct as Does,
)
from camphor.agents.health.interview.questions import MOST, ComplaintKind, InterviewQuestion, read_questions
from camphor.agents.health.interview.record import Quote, written
from camphor.agents.health.loop import CALLER, TELL, Wanted
from camphor.agents.health.observed import ASK, CaseFacts, Offer
from camphor.agents.health.prompts import show_slot
from camphor.agents.health.referral import FIND, read_referral
from camphor.agents.health.spelling import normal
from camphor.agents.languages import not_english
from camphor.agents.wants import Act
from camphor.types import Call

CORRECTED = "Put right"
"""Stands before a correction in a record, as a question does before an answer."""
MOST_OFFERS = 4
_DAYS_AHEAD = 14

Turns = Generator[Wanted, Any, Any]


class TalkEnding(StrEnum):
    """How a talk ended."""

    BOOKED = "booked"
    DECLINED = "declined"
    UNFREE = "unfree"
    """Nobody who is right has a free slot."""
    DROPPED = "dropped"
    """The person took it back: nothing is kept."""
    TOLD = "told"
    """There was no complaint: nothing is kept."""


@dataclass
class Interview:
    """One talk.

    Args:
        case: the request, without turns. specialists: the kinds that may be looked for. known: the ids of questions
            that need not be asked, because the phone knows.
        messages: all that the person said, oldest first; whoever drives it may add what it heard besides.

    Attributes:
        quotes: what is kept so far. end: how it ended; None while it runs.
    """

    case: Case
    specialists: tuple[str, ...]
    known: frozenset[str] = frozenset()
    messages: list[str] = field(default_factory=list)
    quotes: list[Quote] = field(default_factory=list)
    end: TalkEnding | None = None

    def __post_init__(self) -> None:
        self._complaint: list[str] = []
        self._done: set[str] = set(self.known)
        self._put: dict[str, int] = {}
        self._said: set[str] = set()

    @property
    def _foreign(self) -> bool:
        return bool(not_english(" ".join(self._complaint)))

    @property
    def record(self) -> str:
        """What is kept, as it is written down."""
        return written(self.quotes)

    def also(self, said: str) -> None:
        """Keep what the person said to a question that was not put here, where it says more than no."""
        self._done |= read_questions().told(normal(said))
        if not is_bare(said):
            self._keep(said, said)

    def turns(self) -> Turns:
        """Carry the talk to its end. Yields and is sent as `loop.settle`. Returns the case, closed."""
        yield from self._open()
        if self.end is None:
            yield from self._ask_all()
        if self.end is None:
            yield from self._settle()
        closing = PlannerTurn(f"Ended: {self.end}.", CLOSED)
        yield closing
        self.case = self.case.then(closing)
        return self.case

    # hearing the complaint

    def _open(self) -> Turns:
        text, before = self.case.request, ""
        for put in ("complaint", "complaint_again", ""):
            heard = opening(text)
            if heard.act is Does.COMPLAINT:
                if before:
                    self._complain(before, before)
                self._complain(text, heard.kept)
                self._done |= heard.told
                return
            if heard.act is Does.DROP:
                yield from self._drop()
                return
            if not put:
                break
            before = text if heard.act is Does.UNSURE else ""
            reply = {Does.PET: "pet", Does.OTHER: "other"}.get(heard.act, "")
            words = self._once(phrases().says[reply] if reply else "", phrases().says[put])
            text = yield from self._ask("No complaint was told yet.", words)
            if not text:
                break
        yield from self._tell("No complaint was told.", phrases().says["told"])
        self.end = TalkEnding.TOLD

    def _complain(self, text: str, kept: str) -> None:
        self._keep(text, kept)
        self._complaint.append(kept)

    def _keep(self, text: str, kept: str, asked: str = "") -> None:
        if kept:
            self.quotes.append(Quote(self._number(text), kept, asked))
            self.quotes.sort(key=lambda each: each.message)

    def _number(self, text: str) -> int:
        """The number of the message that is this text, the newest where there are several."""
        if text not in self.messages:
            self.messages.append(text)
        return len(self.messages) - self.messages[::-1].index(text)

    def _drop(self) -> Turns:
        self.quotes.clear()
        yield from self._tell("The person took it back.", phrases().says["dropped"])
        self.end = TalkEnding.DROPPED

    # asking

    def _ask_all(self) -> Turns:
        silent, before = 0, phrases().says["foreign"] if self._foreign else ""
        while sum(self._put.values()) < MOST and silent < 2:
            question = self._next()
            if question is None:
                return
            other = is_about_another(" ".join(self._complaint))
            count = self._put[question.id] = self._put.get(question.id, 0) + 1
            words = question.put(again=count > 1, other=other)
            answer = yield from self._ask(f"Not said yet: {question.id}.", self._once(before, words))
            heard = hear(answer, question)
            silent = silent + 1 if not answer else 0
            before = self._take(answer, heard.act, heard.kept, question, other)
            self._done |= heard.told
            if heard.act is Does.DROP:
                yield from self._drop()
            if heard.act in (Does.DROP, Does.HURRY):
                return

    def _next(self) -> InterviewQuestion | None:
        """The question to put now; None where all is said."""
        listed, complaint = read_questions(), normal(" ".join(self._complaint))
        if cannot_be_pregnant(" ".join(self.messages)):
            self._done |= {"pregnancy", "period"}
        for name in self._kind().fitting(complaint):
            if name not in self._done and self._put.get(name, 0) < 2:
                return listed.by_id[name]
        return None

    def _kind(self) -> ComplaintKind:
        return read_questions().kind_of(self._specialist(read_referral().names))

    def _take(self, text: str, act: Does, kept: str, question: InterviewQuestion, other: bool) -> str:
        """Keep what was said; the words to go on with."""
        says = phrases().says
        if act is Does.ANSWER:
            self._done.add(question.id)
            self._keep(text, kept, question.put(again=False, other=other))
        elif act is Does.COMPLAINT:
            self._complain(text, kept)
        elif act is Does.CORRECTION:
            self._keep(text, kept, CORRECTED)
            self._complaint.append(kept)
        elif act is not Does.VAGUE:
            self._keep(text, kept)
        replies = {Does.BACK: question.why, Does.HEALTH: says["unknown_health"], Does.VAGUE: says["vague"]}
        replies |= {Does.PET: says["pet"], Does.OTHER: says["other"]}
        return replies.get(act, "" if act is Does.ANSWER else says["noted"])

    def _once(self, *sentences: str) -> str:
        """Those of these sentences that were not said before."""
        fresh = [each for each in sentences if each and each not in self._said]
        self._said.update(fresh)
        return " ".join(fresh)

    # the appointment

    def _settle(self) -> Turns:
        user = self.case.user
        noted = {"user_id": user.user_id, "symptoms": self.record, "timestamp": user.timestamp}
        yield from self._do("All is said that is asked.", "Keep it word for word.", Call("store_symptoms", noted))
        first = self._specialist(self.specialists)
        for kind in dict.fromkeys((first, GENERAL)):
            if kind in self.specialists and (offer := (yield from self._find(kind))) is not None:
                yield from self._offer(kind, offer)
                return
        yield from self._tell("Nobody is free.", phrases().says["nobody"].format(kind=first))
        self.end = TalkEnding.UNFREE

    def _specialist(self, among: tuple[str, ...]) -> str:
        """Whom the person asks for by name, else whom the words call for, of these."""
        said = " ".join(self._complaint)
        wanted = wanted_specialist(said, among) or (GENERAL if self._foreign else "")
        return wanted or read_referral().specialist(said, GENERAL, among)

    def _find(self, kind: str, schedule: Mapping[str, str] | None = None) -> Turns:
        """The offer of a free slot, noted as a turn; None where there is none."""
        wanted = {"symptoms": self.record, "specialization": kind}
        call = Call(FIND, {**wanted, "user_schedule": dict(schedule)} if schedule else wanted)
        before = set(CaseFacts(self.case).offers)
        yield from self._do(f"A free {kind} is needed.", f"Look for a free {kind}.", call)
        return next((each for each in CaseFacts(self.case).offers if each not in before), None)

    def _offer(self, kind: str, offer: Offer) -> Turns:
        says, put, before = phrases().says, "offer", ""
        for _ in range(MOST_OFFERS):
            words = says[put].format(name=offer.name, slot=self._slot(offer))
            answer = yield from self._ask("The person decides.", self._once(before, words))
            took = replied(answer, self.case.user)
            before, put = "", "offer_again"
            if took.reply is OfferReply.YES:
                if (yield from self._book(offer)):
                    return
                before, took = says["taken"], replied("another", self.case.user)
            if took.reply is OfferReply.NO or (took.reply is OfferReply.UNCLEAR and not answer):
                break
            if took.reply is OfferReply.QUESTION:
                before = says["unknown"]
            if took.reply is OfferReply.OTHER:
                found = yield from self._another(kind, offer, took.schedule)
                before = f"{before} {says['no_other']}".strip() if found is None else before
                offer, put = (found, "offer_next") if found else (offer, put)
            if says[put].format(name=offer.name, slot=self._slot(offer)) in self._said:
                break
        yield from self._tell("No slot was taken.", says["declined"])
        self.end = TalkEnding.DECLINED

    def _another(self, kind: str, offer: Offer, schedule: Mapping[str, str] | None) -> Turns:
        """A slot that was not offered yet, at the time that is wanted, or on a later day."""
        if schedule:
            return (yield from self._find(kind, schedule))
        for day in self._days_after(offer):
            call = Call(FIND, {"symptoms": self.record, "specialization": kind, "user_schedule": {"date": day}})
            seen = yield Act(CALLER, (call,))
            if isinstance(seen, Seen) and seen.result:
                return (yield from self._find(kind, {"date": day}))
        return None

    def _days_after(self, offer: Offer) -> Iterator[str]:
        first = date.fromisoformat(offer.day)
        return ((first + timedelta(days=ahead)).isoformat() for ahead in range(1, _DAYS_AHEAD + 1))

    def _book(self, offer: Offer) -> Turns:
        """Whether the slot was booked."""
        user = self.case.user.user_id
        chosen = {"specialist_id": offer.specialist_id, "appointment_time_date": offer.when}
        seen = yield from self._do(
            "The person said yes.", "Confirm the slot.", Call("confirm_appointment", {"user_id": user, **chosen})
        )
        if seen.error is not None:
            return False
        saved = {"user_id": user, "symptoms": self.record, **chosen}
        yield from self._do("It is booked.", "Keep what it is for.", Call("save_appointment_history", saved))
        told = phrases().says["booked"].format(name=offer.name, slot=self._slot(offer))
        yield from self._tell("It is booked and kept.", told)
        self.end = TalkEnding.BOOKED
        return True

    def _slot(self, offer: Offer) -> str:
        return show_slot(offer.day, offer.time, self.case.user.now.year)

    # turns

    def _ask(self, reason: str, words: str) -> Turns:
        """Put a question; the answer, "" for none."""
        call = Call(ASK, {"user_id": self.case.user.user_id, "questions": words})
        seen = yield from self._do(reason, "Ask the person.", call)
        return str(seen.result or "")

    def _tell(self, reason: str, words: str) -> Turns:
        message = {"user_id": self.case.user.user_id, "message": words}
        yield from self._do(reason, "Tell the person.", Call(TELL, message))

    def _do(self, reason: str, action: str, call: Call) -> Generator[Wanted, Any, Seen]:
        """Plan, call, see: three turns of the case."""
        for turn in (PlannerTurn(reason, action), Called(call)):
            yield turn
            self.case = self.case.then(turn)
        seen: Seen = yield Act(CALLER, (call,))
        yield seen
        self.case = self.case.then(seen)
        return seen
