"""What a person has agreed to for good, or refused for good: rules that are kept on the device, read and revoked.

A rule speaks of a tool, of a tool and a person, or of everything. It is only ever what the person wrote: no model and
no record can make one. Which actions ask all the same, `camphor.agents.consent` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from camphor.device.store import Store

EVERYTHING = "*"
"""In place of a tool: a rule on every action. "never" for it is the stop that holds until it is taken back."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS consents (
    tool TEXT NOT NULL, person TEXT NOT NULL, word TEXT NOT NULL, since TEXT NOT NULL, PRIMARY KEY (tool, person)
) WITHOUT ROWID
"""


class Word(StrEnum):
    """What the person said once and for all."""

    ALWAYS = "always"
    NEVER = "never"


@dataclass(frozen=True)
class ConsentRule:
    """One rule.

    Args:
        tool: the tool's name, or `EVERYTHING`. person: a contact's name; "" for whoever it is. since: ISO 8601.
    """

    tool: str
    person: str
    word: Word
    since: str


class Consents:
    """The rules of one device."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def all(self) -> list[ConsentRule]:
        """The rules, by tool and person."""
        if not self._is_there():
            return []
        rows = self._store.rows("SELECT tool, person, word, since FROM consents ORDER BY tool, person")
        return [ConsentRule(tool, person, Word(word), since) for tool, person, word, since in rows]

    def keep(self, tool: str, person: str, word: Word, since: str) -> None:
        """Makes a rule, in place of the one for the same tool and person. Raises StoreError: it cannot be written."""
        with self._store.transaction():
            self._store.run(_SCHEMA)
            self._store.run("INSERT OR REPLACE INTO consents VALUES (?, ?, ?, ?)", (tool, person, word.value, since))

    def revoke(self, tool: str, person: str = "") -> bool:
        """Takes a rule back; False where there is none."""
        found = any((rule.tool, rule.person) == (tool, person) for rule in self.all())
        if found:
            with self._store.transaction():
                self._store.run("DELETE FROM consents WHERE tool=? AND person=?", (tool, person))
        return found

    def word_on(self, tool: str, persons: frozenset[str]) -> Word | None:
        """What was said of a tool that reaches these people (their names, none for one that reaches nobody).

        "Never" counts before "always", whoever it speaks of. "Always" for some persons is one for all that are reached.
        """
        rules = [rule for rule in self.all() if rule.tool in (tool, EVERYTHING)]
        said = {(rule.tool, rule.person.casefold()): rule.word for rule in rules}
        reached = {person.casefold() for person in persons}
        if any(word is Word.NEVER and (not person or person in reached) for (_, person), word in said.items()):
            return Word.NEVER
        whole = said.get((tool, "")) is Word.ALWAYS
        each = bool(reached) and all(said.get((tool, person)) is Word.ALWAYS for person in reached)
        return Word.ALWAYS if whole or each else None

    def _is_there(self) -> bool:
        return bool(self._store.value("SELECT count(*) FROM sqlite_master WHERE type='table' AND name='consents'"))
