"""The health assistant: it hears a complaint, finds the right specialist, and books a slot that the person wants.

By default it holds a coded interview (`agents.health.interview`), which needs no language model; the paper's planner
and caller are the other strategy. What either keeps on the phone is in the person's own words, word for word.

Red flags come first and are found by code: then no model is asked anything, the person is told what to do, and whoever
drives the assistant begins the emergency path (`health.emergency`), which needs no model either. Words that are merely
suspicious are asked about first, at most once a case. It never diagnoses and never advises on treatment, and says so
when asked. Nothing is booked and nobody is written to without the person's yes.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from camphor.agents.events import Answer, ConsentNeeded, Decision
from camphor.agents.health.advice import REFUSALS, asked_for, without_advice
from camphor.agents.health.case import SPECIALISTS, Case, HealthStrategy, Seen, Taken, UserDetails
from camphor.agents.health.interview.heard import is_yes
from camphor.agents.health.interview.record import Quote, written
from camphor.agents.health.interview.talk import Interview, TalkEnding, Turns
from camphor.agents.health.loop import CALLER, PLANNER, USUAL, Bounds, settle
from camphor.agents.health.observed import ASK, NOTIFY, CaseFacts, Offer, result_of
from camphor.agents.health.prompts import show_slot
from camphor.agents.health.red_flags import RaisedFlag
from camphor.agents.health.referral import FIND
from camphor.agents.health.triage import Urgency
from camphor.agents.wants import Act, Think
from camphor.errors import UsageError
from camphor.health.emergency.lines import country_of, lines_of
from camphor.health.hearing import Hearing, RedFlag
from camphor.models.base import LanguageModel, Request
from camphor.retrieval.memory import MemoryIndex
from camphor.tools.tool import Kind, Tool
from camphor.types import Agent, Call

if TYPE_CHECKING:
    from camphor.device.device import Device

CLINIC = "clinic"
BOOKING = ("book_appointment", "confirm_appointment")
OWN_NOTES = ("store_symptoms", "save_appointment_history", "follow_up_with_user")
"""Actions that only write down, on the person's own phone, what the person has just said or agreed to."""
KEPT = ("symptoms", "current_symptoms")
"""Their parameters that tell what the person has."""
LONGEST = 1000
"""Characters of a complaint or an answer that count; some 250 tokens."""
_MOST_REMEMBERED = 2
_REFUSED = "User has declined this."
Ask = Callable[[str], str]
Notify = Callable[[str], None]
Consent = Callable[[ConsentNeeded], Decision]


@dataclass(frozen=True)
class CaseOutcome:
    """How a case ended.

    `findings`: the red flags that stopped it; then the emergency path is to begin. `done`: actions that were carried
    out; `refused`: those that the person did not want. `messages`: what the person said, oldest first. `quotes`: what
    was to be kept of it. `end`: of an interview that was not stopped. `level`: the most urgent that was heard.
    """

    case: Case
    findings: tuple[RaisedFlag, ...] = ()
    done: tuple[Call, ...] = ()
    refused: tuple[Call, ...] = ()
    messages: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()
    end: TalkEnding | None = None
    level: Urgency = Urgency.ROUTINE

    @property
    def booked(self) -> Call | None:
        """The booking that was made last."""
        return next((call for call in reversed(self.done) if call.name in BOOKING), None)


@dataclass
class HealthAssistant:
    """Settles complaints on one phone, one at a time.

    Args:
        device: a phone with the clinic app. model: any language model, which the planner needs and the interview
            does not.
        ask: puts a question to the person and returns the answer. notify: tells the person something.
        consent: asks before an action that the person has not just agreed to in so many words.
        watch: is told each turn as it happens, to show how the assistant works.
        bounds, refers: of the planner, as `settle`.

    Raises:
        UsageError: the phone has no clinic app, or the planner is wished without a model.
    """

    device: Device
    model: LanguageModel | None
    ask: Ask
    notify: Notify
    consent: Consent
    watch: Callable[[Taken], None] | None = None
    bounds: Bounds = USUAL
    refers: bool = True
    strategy: HealthStrategy = HealthStrategy.INTERVIEW
    conversation: str = field(default_factory=lambda: uuid.uuid4().hex)
    cases: int = 0

    def __post_init__(self) -> None:
        if CLINIC not in self.device.apps:
            raise UsageError(f"{self.device.id} has no clinic app: install it on a phone that has specialists")
        if self.model is None and self.strategy is HealthStrategy.PLANNER:
            raise UsageError("The planner is a language model: give one, or leave the interview as the strategy")

    def run(self, request: str) -> CaseOutcome:
        """Settle one complaint, asking and telling the person as it goes.

        Raises:
            UsageError: nothing was said. ModelError: the model cannot answer. StoreError: nor the device.
        """
        said = heard_of(request)
        if not said:
            raise UsageError("Nothing was said: tell what troubles you, for example  my knee has hurt for a week")
        self.cases += 1
        return _Running(self, opening(self.device, said)).run()


def heard_of(text: str) -> str:
    """What counts of a message: its words on one line, up to the last sentence or word that is whole."""
    said = " ".join(text.split())
    if len(said) <= LONGEST:
        return said
    cut = said[: LONGEST + 1]
    ends = [cut.rfind(mark) + len(mark.rstrip()) for mark in (". ", "! ", "? ") if mark in cut] or [cut.rfind(" ")]
    return cut[: max(ends) if max(ends) > 0 else LONGEST].rstrip()


def opening(device: Device, request: str) -> Case:
    """The case of a complaint before its first turn, with what is known of the person that matters for it."""
    profile = profile_of(device)
    user = UserDetails(
        str(profile.get("user_id") or "me"),
        device.owner,
        device.now.isoformat(timespec="seconds"),
        tuple(_known(device, profile, request)),
    )
    return Case(user, request)


def health_tools(device: Device) -> tuple[Tool, ...]:
    """The tools of planner and caller, in the order in which the prompt shows them."""
    return tuple(tool for tool in device.toolbox if tool.app == CLINIC)


def specializations_of(device: Device) -> tuple[str, ...]:
    """The kinds of specialists that may be asked for: those of this phone; where it has none, all that were learnt."""
    there = (str(each.get("specialization") or "").casefold() for each in device.records(CLINIC, "specialists"))
    return tuple(dict.fromkeys(filter(None, there))) or SPECIALISTS


def drive(
    case: Case,
    device: Device,
    models: Mapping[Agent, LanguageModel],
    act: Callable[[Call], Seen | None],
    follow: Callable[[Taken], None] = lambda turn: None,
    *,
    bounds: Bounds = USUAL,
    refers: bool = True,
) -> None:
    """Have planner and caller carry a case on with these models until it is closed.

    Args:
        act: carries out a call; where it gives None, the case is left there. follow: is told each turn.
        bounds, refers: as `settle`.

    Raises:
        ModelError: a model cannot answer; and what `act` raises.
    """
    loop = settle(case, health_tools(device), specializations_of(device), bounds, refers=refers)
    _carry(loop, models, act, follow)


def _carry(
    loop: Turns,
    models: Mapping[Agent, LanguageModel],
    act: Callable[[Call], Seen | None],
    follow: Callable[[Taken], None],
) -> None:
    """Give a loop what it wants until it ends, or until `act` gives None."""
    answer: str | Seen | None = None
    while True:
        try:
            want = loop.send(answer)
        except StopIteration:
            return
        answer = None
        if isinstance(want, Think):
            answer = models[want.agent].complete(Request(want.prompt, want.grammar, want.max_tokens)).text
        elif not isinstance(want, Act):
            follow(want)
        elif (answer := act(want.calls[0])) is None:
            return


def profile_of(device: Device) -> Mapping[str, Any]:
    """The clinic's fact about the person; empty where there is none."""
    found = device.export()["apps"][CLINIC].get("profile")
    return found if isinstance(found, Mapping) else {}


def unasked(device: Device) -> frozenset[str]:
    """The ids of the questions of the interview that the phone answers already."""
    profile = profile_of(device)
    known = {"age": profile.get("birthday"), "allergies": profile.get("allergies")}
    known["pregnancy"] = str(profile.get("sex") or "").casefold() == "male"
    known["medicines"] = "health" in device.apps and device.records("health", "medications")
    return frozenset(name for name, there in known.items() if there)


def _known(device: Device, profile: Mapping[str, Any], request: str) -> list[str]:
    facts = [
        f"{name}: {', '.join(map(str, profile[name]))}"
        for name in ("conditions", "allergies")
        if isinstance(profile.get(name), Sequence) and profile[name]
    ]
    found = MemoryIndex(device.memories.all(episodes=False)).search(request, device.now, _MOST_REMEMBERED)
    return [*facts, *(each.memory.text for each in found)]


class _Running:
    """One case while it runs: answers what the loop wants, and keeps what was said and done."""

    def __init__(self, assistant: HealthAssistant, case: Case) -> None:
        self.its, self.case = assistant, case
        self.messages = [case.request]
        self.told: set[str] = set()
        self.hearing = Hearing(self._asked_first, self._tell, lines_of(country_of(assistant.device)))
        self.question, self.answer = "", ""
        self.done: list[Call] = []
        self.refused: list[Call] = []
        its = assistant
        self.interview: Interview | None = None
        if its.strategy is HealthStrategy.INTERVIEW:
            kinds = specializations_of(its.device)
            self.interview = Interview(case, kinds, unasked(its.device), self.messages)

    def run(self) -> CaseOutcome:
        findings: tuple[RaisedFlag, ...] = ()
        try:
            self._hear(self.case.request)
            _carry(*self._loop(), self._act, self._follow)
        except RedFlag as raised:
            findings = raised.findings
        outcome = CaseOutcome(self.case, findings, tuple(self.done), tuple(self.refused), tuple(self.messages))
        outcome = replace(outcome, level=self.hearing.level)
        if self.interview is None:
            return replace(outcome, quotes=self._quotes())
        return replace(outcome, quotes=tuple(self.interview.quotes), end=self.interview.end)

    def _loop(self) -> tuple[Turns, Mapping[Agent, LanguageModel]]:
        its = self.its
        if self.interview is not None:
            return self.interview.turns(), {}
        assert its.model is not None  # HealthAssistant refuses the planner without one
        kinds = specializations_of(its.device)
        loop = settle(self.case, health_tools(its.device), kinds, its.bounds, refers=its.refers)
        return loop, {PLANNER: its.model, CALLER: its.model}

    def _quotes(self) -> tuple[Quote, ...]:
        """What the planner may keep: what the person said, and no question, because it is a model's."""
        return tuple(Quote(place, said) for place, said in enumerate(self.messages, 1) if said)

    def _follow(self, turn: Taken) -> None:
        self.case = self.case.then(turn)
        if self.its.watch:
            self.its.watch(turn)

    def _hear(self, text: str, question: str = "") -> None:
        """Everything that the person says passes here before a model reads it. Raises RedFlag: it must not wait."""
        self.hearing.hear(text, question)
        if topic := asked_for(text):
            self._tell(REFUSALS[topic])

    def _tell(self, message: str) -> None:
        """Nothing is told twice in a case."""
        if message not in self.told:
            self.told.add(message)
            self.its.notify(message)

    def _asked_first(self, question: str) -> str:
        """The answer to what is asked for urgency's sake; what it says stays in the record."""
        answer = self._put(question)
        if self.interview:
            self.interview.also(answer)
        return answer

    def _act(self, call: Call) -> Seen:
        if call.name == ASK:
            return self._ask(self._worded(call, "questions"))
        if call.name == NOTIFY:
            self._tell(self._worded(call, "message"))
            return Seen(True)
        call = self._in_own_words(call)
        device = self.its.device
        if self.hearing.only_today and call.name == FIND:  # whatever time was wished: never a later day
            today = {"user_schedule": {"date": self._today}}
            call = replace(call, arguments={**call.arguments, **today})
        acts = device.toolbox.get(call.name).kind is Kind.ACTION
        if acts and not self._may(call):
            self.refused.append(call)
            return Seen(error=_REFUSED)
        key = f"{self.its.conversation}/{self.its.cases}/{len(self.case.turns)}" if acts else None
        observation = device.execute(call, key)
        if observation.error is not None:
            return Seen(error=observation.error)
        if acts:
            self.done.append(call)
        return Seen(result_of(observation, device))

    def _worded(self, call: Call, name: str) -> str:
        """A text for the person: what a model wrote is kept from advising, what code wrote is as it is."""
        text = str(call.arguments.get(name) or "")
        return text if self.interview else without_advice(text)

    def _in_own_words(self, call: Call) -> Call:
        """A call that keeps something keeps what the person said, whatever a model wrote."""
        names = [name for name in KEPT if name in call.arguments] if call.name in OWN_NOTES else []
        record = self.interview.record if self.interview else written(self._quotes())
        return replace(call, arguments={**call.arguments, **dict.fromkeys(names, record)}) if names else call

    def _put(self, question: str) -> str:
        answer = heard_of(self.its.ask(question))
        if answer:
            self.messages.append(answer)
        return answer

    def _ask(self, question: str) -> Seen:
        answer = self._put(question)
        self.question, self.answer = question, answer
        self._hear(answer, question)
        return Seen(answer if answer or self.interview else "(no answer)")

    def _may(self, call: Call) -> bool:
        """Whether the person wants it: said so to just this offer, or says so now. Own notes need no word."""
        if call.name in OWN_NOTES:
            return True
        offer = self._offer(call)
        if self.hearing.only_today and call.name in BOOKING and (offer is None or offer.day != self._today):
            return False
        if offer is not None and self._shown(offer) in self.question and is_yes(self.answer):
            return True
        decision = self.its.consent(ConsentNeeded(call, self._words(call, offer)))
        return decision.answer is Answer.YES

    @property
    def _today(self) -> str:
        return self.its.device.now.date().isoformat()

    def _offer(self, call: Call) -> Offer | None:
        given = call.arguments
        for offer in CaseFacts(self.case).offers if call.name in BOOKING else ():
            if (offer.specialist_id, offer.when) == (given.get("specialist_id"), given.get("appointment_time_date")):
                return offer
        return None

    def _shown(self, offer: Offer) -> str:
        return show_slot(offer.day, offer.time, self.case.user.now.year)

    def _words(self, call: Call, offer: Offer | None) -> str:
        """What an action will do, every value in plain words."""
        given = call.arguments
        if offer is not None:
            return f"Book {offer.name} on {self._shown(offer)}"
        if call.name == "send_message":
            to = "your emergency contacts" if given.get("to_emergency_contacts") else given.get("phone_no")
            return f'Send to {to}: "{given.get("text")}"'
        values = ", ".join(f"{name} {value}" for name, value in given.items())
        return f"{call.name.replace('_', ' ')}: {values}"
