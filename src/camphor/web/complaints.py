"""A talk about a complaint: the health assistant in a thread, its questions and consents answered from pages.

What is said is kept beside the phone before anybody is shown it, as the chat's conversations are. What a dead server
left open is told as cut off and never done again.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

from camphor.agents.answers import stopped, what_was_done
from camphor.agents.events import Answer, ConsentNeeded, Decision
from camphor.agents.health.case import Called, PlannerTurn, Taken
from camphor.agents.health.prompts import show_seen
from camphor.app import turn_key
from camphor.device.device import Device
from camphor.device.talks import Talks
from camphor.errors import CamphorError, UsageError
from camphor.health.assistant import LONGEST, CaseOutcome, HealthAssistant
from camphor.web.feed import BackgroundRun, KeptFeed
from camphor.web.health import in_words
from camphor.web.problems import Conflict, NotFound
from camphor.web.services import Services

ENDS = frozenset({"settled", "stopped", "failed", "interrupted"})
ABOUT = "complaints"
"""What `device.talks` keeps them as."""


class _Stopped(Exception):
    """The person said stop."""


@dataclass
class _Waiting:
    """A question or consent that is waited for."""

    number: int
    kind: str
    given: threading.Event = field(default_factory=threading.Event)
    answer: Any = None


class ComplaintTalk(BackgroundRun):
    """The talk on one phone: one complaint after the other, each settled before the next.

    Args:
        device: whose phone, with the clinic app; talks: where it is kept.
    """

    def __init__(self, device: Device, talks: Talks) -> None:
        super().__init__()
        kept = talks.all(ABOUT)
        self.id = (kept[0] if kept else talks.begin(ABOUT)).id
        self.feed, self.talks, self.device = KeptFeed(talks, self.id), talks, device
        self._lock = threading.RLock()
        self._open: _Waiting | None = None
        self._tell_of_a_cut()

    def tell(self, complaint: str, key: str = "") -> int:
        """Begin with a complaint; the number of its event. One sent twice with one key is heard once.

        Raises:
            UsageError: nothing was said, or too much. Conflict: another complaint is being talked about.
        """
        said = " ".join(complaint.split())
        if not said:
            raise UsageError("Nothing was said: tell what troubles you, such as: my knee has hurt for a week")
        if len(said) > LONGEST:
            raise UsageError(f"That has {len(said):,} characters and at most {LONGEST:,} are heard: tell it shorter")
        with self._lock:
            if key and (before := self.talks.find(self.id, "said", "key", key)) is not None:
                return before
            if self.running:
                raise Conflict("We still talk about the complaint before: answer, or stop it first")
            self._stop.clear()
            event = self.feed.add("said", text=said, key=key)
            self._begin(self._run, "complaint", said, event.number)
            return event.number

    def answer(self, number: int, text: str) -> None:
        """Answer a question. Raises NotFound: it is not open. Conflict: it was answered."""
        with self._lock:
            self._give(number, "question", text[:LONGEST])
            self.feed.add("said", text=text[:LONGEST], key="")

    def decide(self, number: int, yes: bool) -> None:
        """Agree to an action or not. Raises as `answer`."""
        with self._lock:
            self._give(number, "consent", yes)
            self.feed.add("decided", consent=number, yes=yes)

    def stop(self) -> bool:
        """Say stop; False where nothing goes on."""
        with self._lock:
            if not self.running:
                return False
            self._stop.set()
            if self._open:
                self._open.given.set()
            return True

    def _tell_of_a_cut(self) -> None:
        begun = 0
        for event in self.feed.after():
            begun = 0 if event.kind in ENDS else begun or event.number
        if begun:
            what = what_was_done(self._done(begun))
            self.feed.add("interrupted", text=f"The server stopped while we talked: {what}. Tell it again to go on.")

    def _done(self, complaint: int) -> int:
        """How many actions were done for the complaint of that number."""
        return len(self.device.done(turn_key(self.id, complaint)))

    def _give(self, number: int, kind: str, answer: Any) -> None:
        held = self._open
        if held is None or held.number != number or held.kind != kind:
            before = any(event.number == number and event.kind == kind for event in self.feed.after())
            raise Conflict("This was answered before") if before else NotFound("No such question is open")
        if held.given.is_set():
            raise Conflict("This was answered before")
        held.answer = answer
        held.given.set()

    # in the thread

    def _run(self, complaint: str, number: int) -> None:
        try:
            assistant = HealthAssistant(
                self.device, None, self._ask, self._notify, self._consent, self._watch,
                conversation=turn_key(self.id, number).rstrip("/"),
            )  # fmt: skip
            self._end(assistant.run(complaint))
        except _Stopped:
            self.feed.add("stopped", text=stopped(self._done(number), "the journal tells which."))
        except CamphorError as error:
            self.feed.add("failed", text=in_words(str(error)))
        except Exception as error:
            self.feed.add("failed", text=f"Something broke ({type(error).__name__}): nothing more was done")
            raise

    def _end(self, outcome: CaseOutcome) -> None:
        booked = outcome.booked
        self.feed.add(
            "settled",
            emergency=[finding.flag.title for finding in outcome.findings],
            booked=booked.to_json() if booked else None,
            done=[call.name for call in outcome.done],
        )

    def _ask(self, question: str) -> str:
        return str(self._wait("question", text=question) or "")

    def _notify(self, message: str) -> None:
        self._check()
        self.feed.add("told", text=message)

    def _consent(self, wanted: ConsentNeeded) -> Decision:
        return Decision(Answer.YES if self._wait("consent", text=wanted.description) else Answer.NO)

    def _watch(self, turn: Taken) -> None:
        self._check()
        if isinstance(turn, PlannerTurn):
            self.feed.add("planned", reason=turn.reason, action="" if turn.closes else turn.action)
        elif isinstance(turn, Called):
            self.feed.add("called", call=turn.call.to_json())
        else:
            self.feed.add("seen", text=turn.error or show_seen(turn, 0), error=turn.error is not None)

    def _wait(self, kind: str, **data: Any) -> Any:
        self._check()
        with self._lock:
            held = self._open = _Waiting(self.feed.add(kind, **data).number, kind)
            if self._stop.is_set():
                held.given.set()
        held.given.wait()
        with self._lock:
            self._open = None
        self._check()
        return held.answer

    def _check(self) -> None:
        if self._stop.is_set():
            raise _Stopped


class ComplaintTalks:
    """The talks of this server, one a phone."""

    def __init__(self, services: Services) -> None:
        self._services, self._lock, self._all = services, threading.Lock(), dict[str, ComplaintTalk]()
        services.users.append(self.close)

    def of(self, phone: str, device: Device) -> ComplaintTalk:
        with self._lock:
            held = self._all.get(phone)
            if held is None or held.device is not device:  # the phone was replaced
                held = self._all[phone] = ComplaintTalk(device, self._services.talks(phone))
            return held

    def forget(self, phone: str, device: Device) -> None:
        """Stop it, and forget all that was said. What was done stays done."""
        held = self.of(phone, device)
        with self._lock:
            self._stop(phone)
            held.talks.delete(held.id)

    def close(self, phone: str = "") -> None:
        """Stop that of a phone, or all."""
        with self._lock:
            for name in [phone] if phone else list(self._all):
                self._stop(name)

    def _stop(self, phone: str) -> None:
        if held := self._all.pop(phone, None):
            held.stop()
            held.join(30)
