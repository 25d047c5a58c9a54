"""The long-term memory in a conversation: it keeps what it is asked to keep, tells it with its source, and forgets.

All of it is done by code. Only the person's own sentences are ever kept; what mails, pages and other records say cannot
get here, and what is kept is data: it fills in whom "my dentist" means, and can never cause an action.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from camphor.agents.events import Answer, ConsentNeeded, Decision, Event
from camphor.agents.facts import ME, Fact, read_fact, read_question, same_attribute, to_you
from camphor.agents.provenance import tell, tell_all, what
from camphor.agents.remembering import Forget, Recall, Remember, understand
from camphor.device.memories import Memories, Memory, MemoryKind, MemoryOrigin, MemoryState
from camphor.device.people import find_people
from camphor.device.text import near, words
from camphor.retrieval.memory import MemoryIndex
from camphor.types import Agent, Call, Turn

_LIVE = (MemoryState.CONFIRMED, MemoryState.UNSURE, MemoryState.SUPERSEDED)
_YES = re.compile(
    r"(?:yes|yeah|yep|yup|sure|correct|right|exactly|true|that's right|of course|ok|okay|indeed|now|replace it|"
    r"update it|the new one|the newer one|the latter|it is|it's changed|it has changed)\b.*",
    re.IGNORECASE,
)
_NO = re.compile(
    r"(?:no|nope|nah|wrong|not|keep the old(?: one)?|the old one|the older one|the former|the first)\b.*", re.IGNORECASE
)
_ASIDE = re.compile(
    r"^\W*(?:actually|well|no|oh|by the way|btw)\b[\s,]*|[\s,]*\b(?:now|nowadays|these days|instead)\W*$", re.IGNORECASE
)
_BOTH = re.compile(r".*\b(?:both|i have two|the two|each of them|all of them)\b.*", re.IGNORECASE)
_ANSWERING = frozenset(
    words(
        "a actually all am and anymore any are be both but change changed correct course each exactly first former got"
        " had has have he her his holds i in indeed is isn't it it's its just keep latter leave longer mean meant more"
        " my nah new newer newest no nope not now of ok okay old older one ones other our please really replace right"
        " said same second she so stay stays still sure thank thanks that that's the them then there these they those"
        " to true two update was wrong yeah yep yes you yup"
    )
)
"""What an answer to which of two memories holds is made of, beside what they say: with another word it is a request."""
FORGET = "forget"
"""The name of the call by which consent to forget is asked; no tool of a device."""


class Phone(Protocol):
    """What the memory needs to know of the phone that it is about."""

    @property
    def now(self) -> datetime: ...

    @property
    def memories(self) -> Memories: ...

    def people(self) -> Sequence[Mapping[str, Any]]: ...


@dataclass(frozen=True)
class MemoryReply:
    """The answer of the memory. `refused`: what the person did not want forgotten; `forgotten`: quotes to drop."""

    response: str
    refused: tuple[Call, ...] = ()
    forgotten: tuple[str, ...] = ()


@dataclass
class LongTermMemory:
    """The memory of one phone, in one conversation.

    Args:
        phone: whose memory it is. conversation: which one this is.
    """

    phone: Phone
    conversation: str = ""
    _asked: tuple[Memory, tuple[Memory, ...]] | None = None
    _served: tuple[Memory, ...] = ()
    _noted: list[int] = field(default_factory=list)

    @property
    def _kept(self) -> Memories:
        return self.phone.memories

    @property
    def _year(self) -> int:
        return self.phone.now.year

    def answer(self, query: str, turn: int) -> Generator[Event, Decision | None, MemoryReply | None]:
        """Does what the query wants of the memory; None where it wants nothing, and the agents are to answer.

        Raises:
            StoreError: the device cannot be read or written.
        """
        if self._asked and (settled := self._settle(query)):
            return settled
        self._asked = None
        wish = understand(query)
        if isinstance(wish, Remember):
            return MemoryReply(self.remember(wish.fact, MemoryOrigin(query, self._now(), self.conversation, turn)))
        if isinstance(wish, Forget):
            return (yield from self.forget(wish))
        if isinstance(wish, Recall):
            return self._recall(wish)
        return self._contradicted(query, turn) or self._asked_of_self(query)

    # remember

    def remember(self, fact: Fact, origin: MemoryOrigin) -> str:
        """Keeps a fact, and says so; or asks, where it contradicts what is known. Raises: StoreError."""
        kind = MemoryKind.PREFERENCE if fact.preference else MemoryKind.FACT
        alike = [memory for memory in self._kept.all(_LIVE[:2], episodes=False) if _same_matter(memory, fact)]
        equal = [memory for memory in alike if _states(memory, fact)]
        others = tuple(
            memory for memory in alike if memory.state is MemoryState.CONFIRMED and memory not in equal and fact.single
        )
        if equal and equal[-1].state is MemoryState.CONFIRMED:
            self._served = (equal[-1],)
            return f"I know: {_inside(self._told(equal[-1]))}."
        if equal:  # said a second time: that settles it
            self._kept.confirm(equal[-1].id, [memory.id for memory in others])
            return f"I'll remember: {_inside(to_you(fact.text))}." + _instead(others)
        state = MemoryState.UNSURE if others else MemoryState.CONFIRMED
        new = self._kept.add(
            kind, fact.text, origin, subject=fact.subject, attribute=fact.attribute, value=fact.value,
            single=fact.single, state=state, items=self._people_of(fact),
        )  # fmt: skip
        self._noted.append(new.id)
        if not others:
            self._served = (new,)
            return f"I'll remember: {_inside(to_you(fact.text))}."
        self._asked = new, others
        before = "; ".join(self._told(memory) for memory in others)
        return (
            f"You told me before: {_inside(before)}. Is it so now: {_inside(to_you(fact.text))}? Say yes, no or both."
        )

    def _people_of(self, fact: Fact) -> list[Any]:
        """The contact that a value or a subject names, if it names one."""
        refs = []
        for name in (fact.value, fact.subject if fact.subject != ME else ""):
            found = find_people(name, self.phone.people()) if name else []
            if len(found) == 1:
                apps = ("contacts", "android_contacts")
                refs += [ref for app in apps if (ref := self._kept.ref_of(found[0], app))]
        return refs

    @property
    def in_doubt(self) -> tuple[Memory, tuple[Memory, ...]] | None:
        """The memory that was kept last, and those that it contradicts, until the person said which holds."""
        return self._asked

    def contradicted(self, memory: Memory) -> tuple[Memory, ...]:
        """The confirmed memories that an unsure one contradicts. Raises: StoreError."""
        alike = Fact(memory.text, memory.subject, memory.attribute, memory.value, memory.single)
        return tuple(
            each for each in self._kept.all(episodes=False) if _same_matter(each, alike) and not _states(each, alike)
        )

    def _settle(self, query: str) -> MemoryReply | None:
        """The answer to which of two contradicting memories holds; None if this is none."""
        assert self._asked
        new, others = self._asked
        said = set(words(query))
        names_new = bool(set(words(new.value)) & said - {word for old in others for word in words(old.value)})
        names_old = any(set(words(old.value)) & said - set(words(new.value)) for old in others)
        plain = query.strip()
        theirs = {word for each in (new, *others) for word in words(f"{each.value} {each.attribute} {each.subject}")}
        if any(not any(near(word, other) for other in theirs) for word in said - _ANSWERING - theirs):
            return None
        if _BOTH.fullmatch(plain):
            self._kept.confirm(new.id)
            response = f"I'll remember both: {_list((*others, new))}."
        elif not names_new and (names_old or _NO.fullmatch(plain)):
            self._kept.forget([new.id], self.phone.now)
            response = f"Then it stays: {_list(others)}."
        elif names_new or _YES.fullmatch(plain):
            self._kept.confirm(new.id, [memory.id for memory in others])
            response = f"I'll remember: {_list((new,))}." + _instead(others)
        else:
            return None
        self._asked = None
        return MemoryReply(response)

    # forget

    def forget(self, wish: Forget) -> Generator[Event, Decision | None, MemoryReply | None]:
        """Deletes what is meant, and says so; asks for consent where that is in doubt, or everything.

        Raises:
            StoreError: nothing was forgotten.
        """
        meant, sure = self._meant(wish)
        if not meant:
            if not wish.sure:
                return None
            return MemoryReply(
                "I remember nothing about that." if wish.about or wish.number else "There is nothing to forget."
            )
        if wish.everything:
            number = len(meant)
            call = Call(FORGET, {"memories": [memory.id for memory in meant]})
            agreed = yield ConsentNeeded(call, f"Forget all {number} things that I remember, for good")
            if agreed is None or agreed.answer is not Answer.YES:
                return MemoryReply("Nothing was forgotten.", (call,))
            return self._drop(meant, f"I have forgotten all {number} of them for good.")
        dropped, refused = [], []
        for memory in meant:
            call = Call(FORGET, {"memory": memory.id})
            agreed = (
                Decision(Answer.YES) if sure else (yield ConsentNeeded(call, f"Forget for good: {self._told(memory)}"))
            )
            if agreed is None or agreed.answer is not Answer.YES:
                refused.append(call)
            else:
                dropped.append(memory)
        if not dropped:
            return MemoryReply("Nothing was forgotten.", tuple(refused))
        return self._drop(dropped, f"I have forgotten for good: {_list(dropped)}.", tuple(refused))

    def _meant(self, wish: Forget) -> tuple[list[Memory], bool]:
        """The memories that are to be forgotten, and whether the words leave no doubt about them."""
        every = self._kept.all(_LIVE)
        if wish.everything:
            return every, False
        if wish.number is not None:
            return [memory for memory in every if memory.id == wish.number], True
        if wish.last:
            newest = [memory for memory in every if memory.id in self._noted[-1:]]
            return newest, True
        if wish.fact and (same := [memory for memory in every if _states(memory, wish.fact)]):
            return same, True
        found = MemoryIndex(every).search(wish.about, self.phone.now, len(every))
        named = [each.memory for each in found if each.named]
        if wish.sure and not named:
            return [each.memory for each in found[:3]], False
        return named, wish.sure and not wish.fact

    def _drop(self, dropped: Sequence[Memory], said: str, refused: tuple[Call, ...] = ()) -> MemoryReply:
        if not self._kept.forget([memory.id for memory in dropped], self.phone.now):
            said += " Another program has the device open: traces stay in its log until that one ends."
        self._served = ()
        return MemoryReply(said, refused, tuple(memory.origin.quote for memory in dropped))

    # tell

    def _recall(self, wish: Recall) -> MemoryReply | None:
        if wish.source:
            if not self._served:
                return None
            return MemoryReply(" ".join(f"{self._told(memory)}." for memory in self._served))
        if not wish.about:
            return MemoryReply(
                tell_all([(memory, self._kept.gone(memory)) for memory in self._kept.all(_LIVE[:2])], self._year)
            )
        found = MemoryIndex(self._kept.all(_LIVE)).search(wish.about, self.phone.now, 8)
        named = [each.memory for each in found if each.named]
        if not named and not wish.sure:
            return None
        told = named or [each.memory for each in found[:3]]
        if not told:
            return MemoryReply(f"I remember nothing about {to_you(wish.about)[:1].lower() + to_you(wish.about)[1:]}.")
        self._serve(told)
        return MemoryReply(tell_all([(memory, self._kept.gone(memory)) for memory in told], self._year))

    def _contradicted(self, query: str, turn: int) -> MemoryReply | None:
        """The question which of both is so, where a plain statement says otherwise than what the person told before."""
        fact = None if "?" in query else read_fact(_ASIDE.sub("", query))
        if fact is None or not fact.single:
            return None
        known = [each for each in self._kept.all(_LIVE[:1], episodes=False) if _same_matter(each, fact)]
        if not known or any(_states(each, fact) for each in known):
            return None
        return MemoryReply(self.remember(fact, MemoryOrigin(query, self._now(), self.conversation, turn)))

    def _asked_of_self(self, query: str) -> MemoryReply | None:
        """The answer to "who is my dentist?" and the like, where the phone itself does not say the same."""
        question = read_question(query)
        if question is None or re.match(r"\W*(?:when|where)", query, re.IGNORECASE):
            return None
        known = self.about(question.subject, question.attributes)
        if not known:
            return None
        bearers = find_people(question.attributes[0], self.phone.people()) if question.subject == ME else []
        if any(find_people(memory.value, bearers) for memory in known):
            return None  # the phone says the same, and more
        self._serve(known)
        told = " ".join(f"{self._told(memory)}." for memory in known)
        names = " and ".join(str(bearer["name"]) for bearer in bearers)
        return MemoryReply(told + (f" In your contacts it is {names}." if names else ""))

    def when_nothing_was_found(self, query: str) -> str:
        """What is remembered about a question that the phone could not answer; "" if nothing is."""
        question = read_question(query)
        known = self.about(question.subject, question.attributes) if question else []
        known = known or self.mentioned(query)
        if not known:
            found = MemoryIndex(self._kept.all(episodes=False)).search(query, self.phone.now, 3)
            known = [each.memory for each in found if each.named]
        if not known:
            return ""
        self._serve(known)
        told = " ".join(f"{_inside(self._told(memory))}." for memory in known)
        return f"I found nothing about that on this device, but {told}"

    def mentioned(self, query: str) -> list[Memory]:
        """What is known of the things that the person calls "my ..." in a query."""
        said = words(query)
        mine = {" ".join(said[at + 1 : end]) for at, word in enumerate(said) if word in ("my", "our")
                for end in range(at + 2, min(at + 6, len(said) + 1))}  # fmt: skip
        return [
            memory
            for memory in self._kept.all(episodes=False)
            if memory.subject == ME and memory.single and any(same_attribute(memory.attribute, each) for each in mine)
        ]

    def about(self, subject: str, attributes: Iterable[str]) -> list[Memory]:
        """What holds of these attributes, those of the first one that anything is known of."""
        confirmed = [memory for memory in self._kept.all(episodes=False) if memory.attribute]
        for attribute in attributes:
            found = [
                memory
                for memory in confirmed
                if memory.subject == subject and same_attribute(memory.attribute, attribute)
            ]
            if found:
                return found
        return []

    def person(self, said: str) -> Memory | None:
        """The one memory that says who or what "my sister" is; None where it is already said by name."""
        known = self.about(ME, [" ".join(word for word in words(said) if word not in ("my", "our", "the"))])
        named = [memory for memory in known if memory.single and memory.kind is MemoryKind.FACT]
        return named[0] if len(named) == 1 else None

    def use(self, memory: Memory) -> str:
        """Notes that it served, and says it with its source."""
        self._serve([memory])
        return self._told(memory)

    def _serve(self, memories: Sequence[Memory]) -> None:
        if memories:
            self._served = tuple(memories)
            self._kept.use([memory.id for memory in memories], self.phone.now)

    def _told(self, memory: Memory) -> str:
        return tell(memory, self._year, self._kept.gone(memory))

    # episodes

    def note(self, turn: Turn, number: int, refused: Sequence[Call]) -> None:
        """Keeps what was done in a turn; nothing if nothing was, or if noting is paused.

        Raises:
            StoreError: it cannot be written.
        """
        done = [
            found
            for step in turn.steps
            if step.agent is Agent.TASK
            for found in step.observations
            if found.error is None and found.call not in refused
        ]
        if not done or self._kept.paused:
            return
        refs = [ref for found in done for record in found.records if (ref := self._kept.ref_of(record))]
        origin = MemoryOrigin(turn.query, self._now(), self.conversation, number)
        self._kept.add(MemoryKind.EPISODE, turn.response, origin, items=refs)

    def _now(self) -> str:
        return self.phone.now.isoformat(timespec="seconds")


def _same_matter(memory: Memory, fact: Fact) -> bool:
    """Whether both say something of the same thing."""
    if not fact.attribute:
        return words(memory.text) == words(fact.text)
    return memory.subject == fact.subject and same_attribute(memory.attribute, fact.attribute)


def _states(memory: Memory, fact: Fact) -> bool:
    """Whether the memory says what the fact says."""
    return _same_matter(memory, fact) and words(memory.value or memory.text) == words(fact.value or fact.text)


def _instead(others: Sequence[Memory]) -> str:
    return f" No longer: {_list(others)}." if others else ""


def _list(memories: Sequence[Memory]) -> str:
    return "; ".join(dict.fromkeys(_inside(what(memory)).rstrip(".") for memory in memories))


def _inside(sentence: str) -> str:
    """A sentence as it stands behind a colon: one that begins with "Your" or "You" without its capital."""
    return re.sub(r"^You", "you", sentence)
