"""When an action is done by what the person agreed to before, and when they are asked all the same.

In code, for every model and every way of asking. A rule stands for a yes only where the person knows all there is to
know: nothing is in doubt, whoever is reached is a contact, nothing is spent or taken away, the action is one alone, and
every value was said by the person or computed from their words, not taken from what somebody else wrote.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from camphor.agents.events import ConsentNeeded
from camphor.agents.evidence import Origin
from camphor.device.consents import EVERYTHING, Consents, Word
from camphor.device.people import AddressOrigin, Receiver
from camphor.tools.tool import Tool

MOST_RECEIVERS = 1
"""Of an action that a rule stands for: one that reaches more is one of many."""
_OWN = frozenset({Origin.SAID, Origin.COMPUTED, Origin.CHOSEN})


@dataclass(frozen=True)
class Ruled:
    """What the rules say of an action: done without a question, or not at all and what is told; or neither."""

    agreed: bool = False
    refusal: str = ""


def ruled(
    tool: Tool, wanted: ConsentNeeded, reached: Sequence[Receiver], consents: Consents, before: int, takes_away: bool
) -> Ruled:
    """What the person's rules make of an action.

    Args:
        wanted: what they would be asked. reached: whom it reaches. before: actions proposed for this query already.
        takes_away: whether a record goes.
    """
    persons = frozenset(each.name or each.value for each in reached)
    word = consents.word_on(tool.name, persons)
    if word is Word.NEVER:
        return Ruled(refusal=_told(tool, persons, consents))
    if word is None or takes_away or before or asks_each_time(tool):
        return Ruled()
    known = all(each.origin is AddressOrigin.CONTACT for each in reached) and len(reached) <= MOST_RECEIVERS
    receiving = {each.parameter for each in reached}
    own = all(each.origin in _OWN or each.parameter in receiving for each in wanted.evidence)
    return Ruled(agreed=known and own and not wanted.doubt)


def asks_each_time(tool: Tool) -> str:
    """Why an action of this tool is asked about each time, whatever was agreed to: "money" or "gone"; "" for none."""
    words = set(re.findall(r"[a-z]+", f"{tool.name.replace('_', ' ')} {tool.description}".casefold()))
    return next((kind for kind, listed in _table()["always_ask"].items() if words & set(listed.split())), "")


def _told(tool: Tool, persons: Iterable[str], consents: Consents) -> str:
    told, reached = _table()["told"], {person.casefold() for person in persons}
    rules = [rule for rule in consents.all() if rule.word is Word.NEVER]
    if any(rule.tool == EVERYTHING and not rule.person for rule in rules):
        return str(told["stopped"])
    person = next((rule.person for rule in rules if rule.person.casefold() in reached), "")
    return str(told["never_person" if person else "never"]).format(tool=tool.name, person=person)


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
