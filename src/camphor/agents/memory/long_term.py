"""The long-term memory in a conversation: it keeps what its person tells, tells it with its source, and forgets.

What is told in passing is heard by a small model (`listening`), what is asked of the memory by code (`remembering`).
Only the person's own sentences are ever kept; what mails, pages and other records say cannot get here, and what is kept
is data: it fills in whom "my dentist" means, and can never cause an action.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

from camphor.agents.events import Answer, ConsentNeeded, Decision, Event, Noted
from camphor.agents.memory.facts import ME, Fact, read_fact, same_attribute, to_you
from camphor.agents.memory.hearing import Hears
from camphor.agents.memory.known_facts import LIVE, READ, KnownFacts, MemoryReply, inside, listed
from camphor.agents.memory.listening import is_secret, is_undo, listen, until_of
from camphor.agents.memory.remembering import Forget, Recall, Remember, understand
from camphor.agents.memory.told_facts import Effect, Relation, ToldFact, read_fact_model
from camphor.device.memories import Memory, MemoryKind, MemoryOrigin, MemoryState
from camphor.device.people import find_people
from camphor.device.text import near, words
from camphor.retrieval.memory import MemoryIndex
from camphor.types import Agent, Call, Turn

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
NOT_KEPT = "I do not keep passwords and codes: a password manager is the safe place for them."
REPLACES = 0.5
"""From which chance on what is told ends a memory."""
FORGET = "forget"
"""The name of the call by which consent to forget is asked; no tool of a device."""


@dataclass(frozen=True)
class _Noting:
    """What was kept in a turn of this conversation, None where something only ended, and what it ended."""

    turn: int
    new: Memory | None
    ended: tuple[Memory, ...] = ()


@dataclass
class LongTermMemory(KnownFacts):
    """The memory of one phone, in one conversation: what is known, and how that changes."""

    _asked: tuple[Memory, tuple[Memory, ...]] | None = None
    _noted: list[_Noting] = field(default_factory=list)

    def answer(
        self, query: str, turn: int, answering: bool = False, hears: Hears | None = None
    ) -> Generator[Event, Decision | None, MemoryReply | None]:
        """Does what the query wants of the memory; None where the agents are to answer.

        What a query tells in passing is kept in any case; where it wishes for something beside, the agents go on.

        Args:
            answering: whether the query answers a question of the assistant. hears: as of `listen`.

        Raises:
            StoreError: the device cannot be read or written. ModelMissing: the reader of facts cannot be read.
        """
        if self._asked and (settled := self._settle(query)):
            return settled
        self._asked = None
        wish = understand(query)
        origin = MemoryOrigin(query, self._now(), self.conversation, turn)
        if isinstance(wish, Remember):
            return MemoryReply(self.remember(wish.fact, origin))
        if isinstance(wish, Forget):
            return (yield from self.forget(wish))
        if isinstance(wish, Recall):
            return self._recall(wish)
        if self._noted and self._noted[-1].turn >= turn - 1 and is_undo(query):
            return self._undo()
        if told := self._asked_of_self(query):
            return told
        heard = listen(query, answering, hears)
        response = " ".join(dict.fromkeys(each for fact in heard.facts if (each := self.hear(fact, origin))))
        if response and heard.goes_on:
            yield Noted(response)
            return None
        return MemoryReply(response) if response else self._contradicted(query, origin)

    # remember

    def hear(self, told: ToldFact, origin: MemoryOrigin) -> str:
        """Keeps what was told in passing, ends what it ends, and says so; "" where there is nothing to say.

        A change takes the place of what it contradicts, and so does what passes with time; of the rest the person is
        asked. Raises: StoreError.
        """
        if told.relation.mark == "secret":
            return NOT_KEPT
        text = _as_sentence(told.text)
        plain = read_fact(_ASIDE.sub("", told.text))  # "my dentist is Dr Ode now"
        fact = (plain if plain and plain.single else read_fact(told.text)) or Fact(text, value=text)
        known = self._living()
        if any(_states(memory, fact) for memory in known):
            return ""
        read = known[-READ:]
        bearings = read_fact_model().bearings(told.text, [memory.text for memory in read]) if read else []
        rivals = tuple(
            memory
            for memory, bearing in zip(read, bearings, strict=True)
            if (bearing.replaces >= REPLACES and memory.relation in ("", told.relation.name))
            or (fact.single and _same_matter(memory, fact))
        )
        if told.effect is Effect.END:
            return self._end(rivals, origin.turn)
        if told.effect is Effect.NEW and not told.relation.passes and fact.single and rivals:
            return self.remember(fact, origin, told.relation)
        new = self._add(fact, origin, MemoryState.CONFIRMED, told.relation)
        self._kept.confirm(new.id, [memory.id for memory in rivals])
        self._served = (new,)
        self._noted.append(_Noting(origin.turn, new, rivals))
        until = f" (until {new.until})" if new.until else ""
        return f"I'll remember: {inside(to_you(fact.text))}{until}." + _instead(rivals)

    def _end(self, ended: tuple[Memory, ...], turn: int) -> str:
        for memory in ended:
            self._kept.end(memory.id)
        if not ended:
            return ""
        self._noted.append(_Noting(turn, None, ended))
        return f"No longer, then: {listed(ended)}."

    def _undo(self) -> MemoryReply:
        """Takes back what was kept just now."""
        last = self._noted.pop()
        for memory in last.ended:
            self._kept.confirm(memory.id)
        back = f"It holds again: {listed(last.ended)}." if last.ended else ""
        if last.new is None:
            return MemoryReply(back)
        self._kept.forget([last.new.id], self.phone.now)
        gone = f"I do not remember it any more: {listed((last.new,))}."
        return MemoryReply(f"{gone} {back}".strip(), forgotten=(last.new.origin.quote,))

    def _add(self, fact: Fact, origin: MemoryOrigin, state: MemoryState, relation: Relation | None = None) -> Memory:
        likes = fact.preference or (relation is not None and relation.preference)
        return self._kept.add(
            MemoryKind.PREFERENCE if likes else MemoryKind.FACT,
            fact.text, origin, subject=fact.subject, attribute=fact.attribute, value=fact.value,
            single=fact.single, state=state, items=self._people_of(fact),
            relation=relation.name if relation else "", until=until_of(fact.text, self.phone.now),
        )  # fmt: skip

    def remember(self, fact: Fact, origin: MemoryOrigin, relation: Relation | None = None) -> str:
        """Keeps a fact, and says so; or asks, where it contradicts what is known. Raises: StoreError."""
        if is_secret(fact.text):
            return NOT_KEPT
        alike = [memory for memory in self._living() if _same_matter(memory, fact)]
        equal = [memory for memory in alike if _states(memory, fact)]
        others = tuple(
            memory for memory in alike if memory.state is MemoryState.CONFIRMED and memory not in equal and fact.single
        )
        if equal and equal[-1].state is MemoryState.CONFIRMED:
            self._served = (equal[-1],)
            return f"I know: {inside(self._told(equal[-1]))}."
        if equal:  # said a second time: that settles it
            self._kept.confirm(equal[-1].id, [memory.id for memory in others])
            return f"I'll remember: {inside(to_you(fact.text))}." + _instead(others)
        state = MemoryState.UNSURE if others else MemoryState.CONFIRMED
        new = self._add(fact, origin, state, relation)
        self._noted.append(_Noting(origin.turn, new))
        if not others:
            self._served = (new,)
            return f"I'll remember: {inside(to_you(fact.text))}."
        self._asked = new, others
        before = "; ".join(self._told(memory) for memory in others)
        return f"You told me before: {inside(before)}. Is it so now: {inside(to_you(fact.text))}? Say yes, no or both."

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

    def _contradicted(self, query: str, origin: MemoryOrigin) -> MemoryReply | None:
        """The question which of both is so, where a plain statement says otherwise than what the person told before."""
        fact = None if "?" in query else read_fact(_ASIDE.sub("", query))
        if fact is None or not fact.single:
            return None
        known = [each for each in self._living(MemoryState.CONFIRMED) if _same_matter(each, fact)]
        if not known or any(_states(each, fact) for each in known):
            return None
        return MemoryReply(self.remember(fact, origin))

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
            response = f"I'll remember both: {listed((*others, new))}."
        elif not names_new and (names_old or _NO.fullmatch(plain)):
            self._kept.forget([new.id], self.phone.now)
            response = f"Then it stays: {listed(others)}."
        elif names_new or _YES.fullmatch(plain):
            self._kept.confirm(new.id, [memory.id for memory in others])
            response = f"I'll remember: {listed((new,))}." + _instead(others)
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
        return self._drop(dropped, f"I have forgotten for good: {listed(dropped)}.", tuple(refused))

    def _meant(self, wish: Forget) -> tuple[list[Memory], bool]:
        """The memories that are to be forgotten, and whether the words leave no doubt about them."""
        every = self._kept.all(LIVE)
        if wish.everything:
            return every, False
        if wish.number is not None:
            return [memory for memory in every if memory.id == wish.number], True
        if wish.last:
            last = [noting.new.id for noting in self._noted if noting.new][-1:]
            newest = [memory for memory in every if memory.id in last]
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
        self._noted = [each for each in self._noted if each.new not in dropped]
        return MemoryReply(said, refused, tuple(memory.origin.quote for memory in dropped))

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


def _same_matter(memory: Memory, fact: Fact) -> bool:
    """Whether both say something of the same thing."""
    if not fact.attribute:
        return words(memory.text) == words(fact.text)
    return memory.subject == fact.subject and same_attribute(memory.attribute, fact.attribute)


def _states(memory: Memory, fact: Fact) -> bool:
    """Whether the memory says what the fact says."""
    return _same_matter(memory, fact) and words(memory.value or memory.text) == words(fact.value or fact.text)


def _instead(others: Sequence[Memory]) -> str:
    return f" No longer: {listed(others)}." if others else ""


def _as_sentence(said: str) -> str:
    said = re.sub(r"\bi\b(?!\.)", "I", " ".join(said.split()).strip(' .!,;:"“”'))
    return said[:1].upper() + said[1:]
