"""Two known ways of keeping what a person tells, with a small language model: to stand beside the memory that ships.

- `ExtractedMemory`, mem0's way (Chhikara et al. 2025, section 3.1): the model writes the facts of a turn, then says of
  each, beside the nearest that are kept, whether it is added, takes the place of one, ends one, or is nothing new.
- `BlockMemory`, Letta's way (MemGPT: Packer et al. 2023, section 2): the model edits a block of lines about its person:
  it adds a line, writes one anew, deletes one, or leaves the block alone.

Both are asked with four examples, and a grammar holds them to the form, since a model of 135 million weights loses it.
Neither ever answers in the assistant's place: what they keep serves as all that is kept does.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from camphor.agents.events import Decision, Event
from camphor.agents.memory.hearing import Hears
from camphor.agents.memory.known_facts import MemoryReply
from camphor.agents.memory.long_term import LongTermMemory
from camphor.device.memories import Memory, MemoryKind, MemoryOrigin
from camphor.models.base import LanguageModel, Request
from camphor.retrieval.memory import MemoryIndex
from camphor.types import Prompt
from camphor_lab.context.finders import in_chatml

MOST_FACTS, NEAREST, MOST_LINES = 3, 5, 24
"""Facts of a turn, kept ones that are shown beside a new one, and lines of the block."""
_LINE = r"/[^\n\"\\]{1,120}/"
_FACTS = f'start: "[]" | "[" fact ("," " " fact){{0,{MOST_FACTS - 1}}} "]"\nfact: "\\"" {_LINE} "\\""'

_EXTRACT = (
    "Write the lasting facts that the user tells about themselves as a list of strings: what will still be true next"
    " week. Requests, questions, moods and single events are no facts. Write [] if there are none."
)
_EXTRACT_SHOWN = (
    ("Set an alarm for six, I start at the bakery on Monday", '["The user starts at the bakery on Monday"]'),
    ("what's the weather doing?", "[]"),
    ("My sister Ana is vegetarian now, find us somewhere", '["The user\'s sister is Ana", "Ana is vegetarian"]'),
    ("I'm starving", "[]"),
)
_DECIDE = (
    "Compare a new fact with the kept ones. Write ADD if it is new, UPDATE and a number if it takes the place of that"
    " one, DELETE and a number if it ends that one, NONE if it is kept already."
)
_DECIDE_SHOWN = (
    ("Kept:\n0. The user takes the 7:20 train\n1. The user has a cat\nNew: The user takes the 7:45 now", "UPDATE 0"),
    ("Kept:\n0. The user has a cat\nNew: The user's dentist is Dr Ode", "ADD"),
    ("Kept:\n0. The user is vegetarian\nNew: The user is not vegetarian any more", "DELETE 0"),
    ("Kept:\n0. The user's sister is Ana\nNew: Ana is the user's sister", "NONE"),
)
_EDIT = (
    "You keep a block of lines about the user. Read what the user says and write one edit: ADD and a line, REPLACE, a"
    " number and a line, DELETE and a number, or NONE where nothing lasting is told."
)
_EDIT_SHOWN = (
    ("Block:\n0. takes the 7:20 train\nUser: I'm on the 7:45 now", "REPLACE 0 takes the 7:45 train"),
    ("Block:\n0. takes the 7:20 train\nUser: is my train late?", "NONE"),
    ("Block:\nUser: my sister Ana is vegetarian, find us somewhere", "ADD sister is Ana, who is vegetarian"),
    ("Block:\n0. has a cat\nUser: we gave the cat away", "DELETE 0"),
)


@dataclass
class AskedMemory(LongTermMemory):
    """A memory that a language model keeps. Args: mind: the model, as it is, without an adapter."""

    mind: LanguageModel | None = None

    def answer(
        self, query: str, turn: int, answering: bool = False, hears: Hears | None = None
    ) -> Generator[Event, Decision | None, MemoryReply | None]:
        """Keeps what the model finds in a turn; every answer is the agents'. Raises: ModelError, StoreError."""
        self.keep(query, MemoryOrigin(query, self.phone.now.isoformat(timespec="seconds"), self.conversation, turn))
        return None
        yield

    def keep(self, query: str, origin: MemoryOrigin) -> None:
        """Keeps and ends what the model says. Raises: ModelError, StoreError."""
        raise NotImplementedError

    def serving(self, query: str) -> tuple[Memory, ...]:
        """The nearest to a query, as both systems search."""
        return tuple(each.memory for each in MemoryIndex(self._shown()).search(query, self.phone.now, 3))

    def written(self, task: str, shown: Sequence[tuple[str, str]], said: str, grammar: str, most: int) -> str:
        assert self.mind is not None
        return self.mind.complete(Request(_prompt(task, shown, said), grammar, most, stop=("\n", "<|im_end|>"))).text

    def add(self, text: str, origin: MemoryOrigin) -> None:
        self._kept.add(MemoryKind.FACT, text, origin, value=text)


@dataclass
class ExtractedMemory(AskedMemory):
    """mem0's way."""

    def keep(self, query: str, origin: MemoryOrigin) -> None:
        """As `AskedMemory.keep`."""
        for text in _listed(self.written(_EXTRACT, _EXTRACT_SHOWN, query, _FACTS, 120)):
            near = [each.memory for each in MemoryIndex(self._living()).search(text, self.phone.now, NEAREST)]
            said = "\n".join(["Kept:", *(f"{at}. {memory.text}" for at, memory in enumerate(near)), f"New: {text}"])
            done = self.written(_DECIDE, _DECIDE_SHOWN, said, _one_of(len(near), ""), 8) if near else "ADD"
            word, _, number = done.partition(" ")
            if word in ("UPDATE", "DELETE"):
                self._kept.end(near[int(number)].id)
            if word in ("ADD", "UPDATE"):
                self.add(text, origin)


@dataclass
class BlockMemory(AskedMemory):
    """Letta's way."""

    def keep(self, query: str, origin: MemoryOrigin) -> None:
        """As `AskedMemory.keep`."""
        block = self._living()[-MOST_LINES:]
        said = "\n".join(["Block:", *(f"{at}. {memory.text}" for at, memory in enumerate(block)), f"User: {query}"])
        word, _, rest = self.written(_EDIT, _EDIT_SHOWN, said, _one_of(len(block), _LINE), 60).partition(" ")
        if word == "ADD":
            self.add(rest, origin)
        elif word in ("REPLACE", "DELETE"):
            number, _, line = rest.partition(" ")
            self._kept.end(block[int(number)].id)
            if line:
                self.add(line, origin)


def _one_of(count: int, line: str) -> str:
    """The grammar of one decision over so many kept ones; with `line`, of an edit that writes one."""
    place = "(" + " | ".join(f'"{at}"' for at in range(count)) + ")"
    text = f' " " {line}' if line else ""
    rules = ['"NONE"', f'"ADD"{text}']
    if count:
        rules += [f'"{"REPLACE" if line else "UPDATE"} " {place}{text}', f'"DELETE " {place}']
    return "start: " + " | ".join(rules)


def _listed(written: str) -> list[str]:
    """The facts that were written; none where the list was cut off."""
    try:
        return [str(each) for each in json.loads(written)][:MOST_FACTS]
    except ValueError:
        return []


def _prompt(task: str, shown: Sequence[tuple[str, str]], said: str) -> Prompt:
    """A task with examples."""
    examples = [turn for asked, told in shown for turn in (("user", asked), ("assistant", told))]
    return in_chatml([("system", task), *examples, ("user", said)])
