"""The health assistant: it hears a complaint, finds the right specialist, and books a slot that the person wants.

Red flags come first and are found by code: then no model is asked anything, the person is told what to do, and whoever
drives the assistant begins the emergency path (`health.emergency`), which needs no model either. Words that are merely
suspicious are asked about first, at most once a case. It never diagnoses and never advises on treatment, and says so
when asked. Nothing is booked and nobody is written to without the person's yes.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from camphor.agents.events import Answer, ConsentNeeded, Decision
from camphor.agents.health.advice import REFUSALS, asked_for, without_advice
from camphor.agents.health.case import Case, Seen, Taken, UserDetails
from camphor.agents.health.cues import normal
from camphor.agents.health.loop import CALLER, PLANNER, USUAL, Bounds, settle
from camphor.agents.health.observed import ASK, Observed, Offer
from camphor.agents.health.prompts import show_slot
from camphor.agents.health.red_flags import Finding, affirmed
from camphor.agents.health.triage import Triage, Verdict, answered, triage
from camphor.agents.orchestrator import Act, Think
from camphor.datasets.health.diseases import SPECIALISTS
from camphor.datasets.health.flows import NOTIFY, result_of
from camphor.errors import UsageError
from camphor.health.emergency.lines import country_of, lines_of
from camphor.health.emergency.wording import told
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
LONGEST = 1000
"""Characters of a complaint or an answer that count; some 250 tokens."""
_MOST_REMEMBERED = 2
_REFUSED = "User has declined this."
_YES = re.compile(
    r"^\W*(?:sure|ok|okay|k|ya|aye|fine|great|perfect|good|wonderful|excellent|lovely|super|agreed|gladly|right|"
    r"of course|absolutely|definitely|certainly|alright|all right|very well|please do|go ahead|go on|do it|"
    r"by all means)\b|\b(?:yes|yeah|yep|yup|i(?:'d)? (?:accept|agree)|i'll (?:be there|come|take (?:it|that|this))|"
    r"(?:suits|works for|fits) me|(?:book|confirm|take|schedule|reserve) (?:it|this|that|me in)|make the appointment|"
    r"let's (?:do|take) (?:it|that|this)|(?:that|this|it|time|slot|one) (?:(?:is|sounds|would be) (?:fine|good|ok|"
    r"okay|perfect|great|lovely)|works)|sounds good|that'll do|happy with)\b"
)
_YET = re.compile(
    r"\b(?:but|instead|rather|other|another|else|later|earlier|not|no|don't|can't|cannot|unless|if|before|after|"
    r"different|wait|maybe|change)\b|\?"
)

Ask = Callable[[str], str]
Notify = Callable[[str], None]
Consent = Callable[[ConsentNeeded], Decision]


@dataclass(frozen=True)
class Outcome:
    """How a case ended.

    `findings`: the red flags that stopped it; then the emergency path is to begin. `done`: actions that were carried
    out; `refused`: those that the person did not want.
    """

    case: Case
    findings: tuple[Finding, ...] = ()
    done: tuple[Call, ...] = ()
    refused: tuple[Call, ...] = ()

    @property
    def booked(self) -> Call | None:
        """The booking that was made last."""
        return next((call for call in reversed(self.done) if call.name in BOOKING), None)


class _RedFlag(Exception):
    """The person has just said something that stops everything else."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        self.findings = findings


@dataclass
class HealthAssistant:
    """Settles complaints on one phone, one at a time.

    Args:
        device: a phone with the clinic app. model: any language model.
        ask: puts a question to the person and returns the answer. notify: tells the person something.
        consent: asks before an action that the person has not just agreed to in so many words.
        watch: is told each turn as it happens, to show how the assistant works.
        refers: whether code has a say in which specialist is looked for (`agents.health.referral`).

    Raises:
        UsageError: the phone has no clinic app.
    """

    device: Device
    model: LanguageModel
    ask: Ask
    notify: Notify
    consent: Consent
    watch: Callable[[Taken], None] | None = None
    bounds: Bounds = USUAL
    refers: bool = True
    conversation: str = field(default_factory=lambda: uuid.uuid4().hex)
    cases: int = 0

    def __post_init__(self) -> None:
        if CLINIC not in self.device.apps:
            raise UsageError(f"{self.device.id} has no clinic app: install it on a phone that has specialists")

    def run(self, request: str) -> Outcome:
        """Settle one complaint, asking and telling the person as it goes.

        Raises:
            UsageError: nothing was said. ModelError: the model cannot answer. StoreError: nor the device.
        """
        said = " ".join(request.split())[:LONGEST]
        if not said:
            raise UsageError("Nothing was said: tell what troubles you, for example  my knee has hurt for a week")
        self.cases += 1
        return _Running(self, opening(self.device, said)).run()


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
    """Carry a case on with these models until it is closed.

    Args:
        act: carries out a call; where it gives None, the case is left there. follow: is told each turn.
        bounds, refers: as `settle`.

    Raises:
        ModelError: a model cannot answer; and what `act` raises.
    """
    loop = settle(case, health_tools(device), specializations_of(device), bounds, refers=refers)
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
        self.heard: list[str] = []
        self.suspected = False
        self.told: list[str] = []
        self.question, self.answer = "", ""
        self.done: list[Call] = []
        self.refused: list[Call] = []

    def run(self) -> Outcome:
        findings: tuple[Finding, ...] = ()
        try:
            self._hear(self.case.request)
            its = self.its
            models = {PLANNER: its.model, CALLER: its.model}
            drive(self.case, its.device, models, self._act, self._follow, bounds=its.bounds, refers=its.refers)
        except _RedFlag as raised:
            findings = raised.findings
        return Outcome(self.case, findings, tuple(self.done), tuple(self.refused))

    def _follow(self, turn: Taken) -> None:
        self.case = self.case.then(turn)
        if self.its.watch:
            self.its.watch(turn)

    def _hear(self, text: str, question: str = "") -> None:
        """Everything that the person says passes here before a model reads it.

        Raises:
            _RedFlag: it must not wait for a model.
        """
        self.heard.append(affirmed(question, text))
        found = triage(*self.heard)
        if found.verdict is Verdict.ASK:
            found = self._suspect(found)
        self._tell(found)
        if found.verdict is Verdict.NOW:
            raise _RedFlag(found.findings)
        if topic := asked_for(text):
            self.its.notify(REFUSALS[topic])

    def _suspect(self, found: Triage) -> Triage:
        """Ask what is asked about urgency, once a case; the verdict after the answer."""
        if self.suspected:
            return replace(found, verdict=found.stands)
        self.suspected = True
        answer = " ".join(self.its.ask(found.question).split())[:LONGEST]
        found = answered(found, answer, *self.heard)
        self.heard.append(answer)
        return found

    def _tell(self, found: Triage) -> None:
        """What the verdict makes the person be told, each text once a case."""
        for text in told(found, lines_of(country_of(self.its.device))):
            if text not in self.told:
                self.told.append(text)
                self.its.notify(text)

    def _act(self, call: Call) -> Seen:
        if call.name == ASK:
            return self._ask(without_advice(str(call.arguments.get("questions") or "")))
        if call.name == NOTIFY:
            self.its.notify(without_advice(str(call.arguments.get("message") or "")))
            return Seen(True)
        device = self.its.device
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

    def _ask(self, question: str) -> Seen:
        answer = " ".join(self.its.ask(question).split())[:LONGEST]
        self.question, self.answer = question, answer
        self._hear(answer, question)
        return Seen(answer or "(no answer)")

    def _may(self, call: Call) -> bool:
        """Whether the person wants it: said so to just this offer, or says so now. Own notes need no word."""
        if call.name in OWN_NOTES:
            return True
        offer = self._offer(call)
        if offer is not None and self._shown(offer) in self.question and is_yes(self.answer):
            return True
        decision = self.its.consent(ConsentNeeded(call, self._words(call, offer)))
        return decision.answer is Answer.YES

    def _offer(self, call: Call) -> Offer | None:
        given = call.arguments
        for offer in Observed(self.case).offers if call.name in BOOKING else ():
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


def is_yes(answer: str) -> bool:
    """Whether an answer to an offer is a clear yes, with no wish for anything else in it."""
    told = normal(answer)
    return _YES.search(told) is not None and _YET.search(told) is None

