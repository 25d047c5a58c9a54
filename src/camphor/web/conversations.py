"""A conversation that runs: one thread drives the assistant, everybody who looks sees the same numbered events.

Each event is kept before it is told, so whoever comes back asks for those after the last number they saw. Consent is
given once; a query that was sent twice is answered once; what a dead server left open is told as cut off and never
done again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from camphor.agents.answers import stopped, what_was_done
from camphor.agents.events import Answer, Answered, ConsentNeeded, Decision, Writing
from camphor.agents.prompts import TOLD
from camphor.agents.strategies.registry import choose, usual_strategy
from camphor.app import Assistant, clean_query, turn_key
from camphor.device.device import Device
from camphor.device.talks import Happened, Talk, Talks
from camphor.errors import CamphorError, ContextFull
from camphor.types import Call, Turn
from camphor.web.feed import BackgroundRun, KeptFeed, of_event
from camphor.web.problems import Conflict, NotFound
from camphor.web.services import Services

ENDS = frozenset({"answered", "stopped", "failed", "interrupted"})
"""Kinds of events with which a query ends."""
HIDDEN = frozenset({"turn"})
"""Kinds that are kept for the assistant alone."""


class Stopped(Exception):
    """The person said stop."""


@dataclass
class _Question:
    """A consent that is waited for."""

    number: int
    call: Call
    answered: threading.Event = field(default_factory=threading.Event)
    decision: Decision | None = None


class Conversation(BackgroundRun):
    """One conversation on one phone.

    Args:
        talk: which one; talks: where it is kept; device: whose phone; services: what opens the model.
    """

    def __init__(self, talk: Talk, talks: Talks, device: Device, services: Services) -> None:
        super().__init__()
        self.id, self.talks, self.device, self._services = talk.id, talks, device, services
        self.feed = KeptFeed(talks, talk.id, HIDDEN)
        self._lock = threading.RLock()
        self._question: _Question | None = None
        self._assistant: Assistant | None = None
        self._hidden: frozenset[str] = frozenset()
        self._tell_of_a_cut()

    def ask(self, query: str, key: str = "") -> int:
        """Begin to answer a query; gives the number of the event that says so.

        Args:
            key: of the query, from whoever sends it: one that was sent before is not asked again.

        Raises:
            UsageError: the query is empty or too long. Conflict: another one is being answered.
        """
        text = clean_query(query)
        with self._lock:
            if key and (before := self.talks.find(self.id, "asked", "key", key)) is not None:
                return before
            if self.running and self.feed.after()[-1].kind in ENDS:
                self.join()  # who has read the end may ask at once, before the thread is gone
            if self.running:
                raise Conflict("This conversation is still answering: wait, or stop it first")
            self._stop.clear()
            asked = self.feed.add("asked", query=text, key=key)
            self._begin(self._answer, f"talk-{self.id[:8]}", text)
            return asked.number

    def decide(self, number: int, answer: Answer, arguments: Mapping[str, Any] | None = None) -> None:
        """Give the person's word on the action of the consent event of that number.

        Raises:
            NotFound: no such action waits. Conflict: it was decided before, or its query is over.
            ToolError: the phone does not understand the values put in.
        """
        with self._lock:
            question = self._question
            if question is None or question.number != number:
                before = any(e.kind == "consent" and e.number == number for e in self.feed.after())
                raise Conflict("This was decided before") if before else NotFound("No such question is open")
            if question.answered.is_set():
                raise Conflict("This was decided before")
            call = None
            if answer is Answer.YES and arguments is not None and dict(arguments) != dict(question.call.arguments):
                seen = self._assistant.device if self._assistant else self.device
                call = seen.normalise(Call(question.call.name, dict(arguments)))
            question.decision = Decision(answer, call)
            said = (call or question.call).to_json()
            self.feed.add("decided", consent=number, answer=answer.value, call=said)
            question.answered.set()

    def stop(self) -> bool:
        """Say stop: at the next event nothing more is done. False where nothing runs."""
        with self._lock:
            if not self.running:
                return False
            self._stop.set()
            if self._question:
                self._question.answered.set()
            return True

    # in the thread

    def _answer(self, query: str) -> None:
        started = time.perf_counter()
        try:
            assistant = self._ready()
            answered = self._drive(assistant, query)
        except Stopped:
            done = self._assistant.done if self._assistant else 0
            self.feed.add("stopped", text=stopped(done, "the journal tells which."))
        except ContextFull:
            if self._assistant:
                self._assistant.history = ()
            self.feed.add("failed", text="The conversation had grown too long: a new one begins here, ask again")
        except CamphorError as error:
            self.feed.add("failed", text=str(error))
        except Exception as error:
            self.feed.add("failed", text=f"Something broke ({type(error).__name__}): nothing more was done")
            raise
        else:
            turn, history = answered.trajectory.turn, assistant.history
            of_history = any(each is turn for each in history)  # what the memory answered is not
            kept = [each.query for each in history]
            self.feed.add("turn", turn=turn.to_json() if of_history else None, kept=kept)
            kind, data = of_event(answered, self.device.toolbox)
            self.feed.add(kind, **data, seconds=round(time.perf_counter() - started, 3))

    def _drive(self, assistant: Assistant, query: str) -> Answered:
        loop = assistant.run(query)
        try:
            event = next(loop)
            while not isinstance(event, Answered):
                if self._stop.is_set():
                    raise Stopped
                kind, data = of_event(event, self.device.toolbox)
                if isinstance(event, Writing):
                    self.feed.mention(kind, **data)
                    event = next(loop)
                    continue
                if isinstance(event, ConsentNeeded):
                    event = loop.send(self._decided(event, kind, data))
                else:
                    self.feed.add(kind, **data)
                    event = next(loop)
            return event
        finally:
            loop.close()

    def _decided(self, wanted: ConsentNeeded, kind: str, data: Mapping[str, Any]) -> Decision | None:
        """Tell of an action that wants the person's word, and wait for it."""
        with self._lock:  # whoever reads of it may answer at once, and finds the question open
            question = _Question(self.feed.add(kind, **data).number, wanted.call)
            self._question = question
            if self._stop.is_set():
                question.answered.set()
        question.answered.wait()
        with self._lock:
            self._question = None
        if self._stop.is_set():
            raise Stopped
        return question.decision

    def _ready(self) -> Assistant:
        """The assistant, with the conversation so far: made when it is first needed.

        Made anew, without what was said before, when its model may see less of the phone, or more: earlier turns may
        hold what it may not.
        """
        shared = self._services.shared(self.device)
        if self._assistant is None or shared.hidden != self._hidden:
            self._hidden = shared.hidden
            model, form = self._services.model()
            strategy, form = choose(usual_strategy(model, form), None, tuned=form not in TOLD, usual=form)
            past = self.talks.events(self.id)
            self._assistant = Assistant(
                shared.device,
                model,
                history=() if shared.hidden else history_of(past),
                form=form,
                conversation=self.id,
                strategy=strategy,
                memory=shared.memory(self.id),
                # queries that were cut off count too: the keys of actions are made of it
                turns=sum(event.kind == "asked" for event in past) - 1,
                whole=shared.whole,
            )
        return self._assistant

    def _tell_of_a_cut(self) -> None:
        """A query that a server which is gone left open is told as such: what was done, and nothing is repeated."""
        events = self.feed.after()
        last = next((event.kind for event in reversed(events) if event.kind == "asked" or event.kind in ENDS), "")
        if last == "asked":
            turn = sum(event.kind == "asked" for event in events)
            what = what_was_done(len(self.device.done(turn_key(self.id, turn))))
            self.feed.add("interrupted", text=f"The server stopped while it answered: {what}. Ask again to go on.")


def history_of(past: Sequence[Happened]) -> tuple[Turn, ...]:
    """The turns that the assistant still knew of: of what was forgotten it knows nothing."""
    kept = [event.data for event in past if event.kind == "turn"]
    known = set(kept[-1]["kept"]) if kept else set()
    return tuple(Turn.from_json(each["turn"]) for each in kept if each["turn"] and each["turn"]["query"] in known)


class Conversations:
    """All conversations that were opened since the start, by phone and id."""

    def __init__(self, services: Services) -> None:
        self._services, self._lock = services, threading.Lock()
        self._open: dict[tuple[str, str], Conversation] = {}
        services.users.append(self.close)

    def begin(self, phone: str) -> Conversation:
        """A new one. Raises as `Services.phone`."""
        return self.get(phone, self._services.talks(phone).begin().id)

    def get(self, phone: str, talk_id: str) -> Conversation:
        """Raises NotFound: there is none of that id on that phone."""
        talks = self._services.talks(phone)
        with self._lock:
            held = self._open.get((phone, talk_id))
            talk = talks.get(talk_id)
            if talk is None:
                raise NotFound("There is no such conversation: it may have been deleted")
            if held is None:
                held = self._open[phone, talk_id] = Conversation(
                    talk, talks, self._services.phone(phone), self._services
                )
            return held

    def all(self, phone: str) -> list[Talk]:
        return self._services.talks(phone).all()

    def delete(self, phone: str, talk_id: str) -> None:
        """Stop it and forget it. Raises NotFound: there is none."""
        held = self.get(phone, talk_id)
        if held.stop():
            held.join(30)
        with self._lock:
            self._open.pop((phone, talk_id), None)
        self._services.talks(phone).delete(talk_id)

    def close(self, phone: str = "") -> None:
        """Stop those of a phone, or all."""
        with self._lock:
            held = [each for (name, _), each in self._open.items() if not phone or name == phone]
            self._open = {key: each for key, each in self._open.items() if phone and key[0] != phone}
        for each in held:
            each.stop()
        for each in held:
            each.join(10)
