"""Which apps of a phone the model of a server may see, by whose computer it runs on; and the phone as it then is.

This computer may see everything unless told otherwise. Another one sees nothing before the person was asked, and what
is proposed to them has nothing of their health and of what they told to be remembered.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from camphor.errors import StoreError, UsageError

if TYPE_CHECKING:  # SQLite, which a command's help does not need
    from camphor.device.store import ListInfo, Store

HERE = "this-computer"
"""The key of the rule for servers on this computer."""
OTHERS = "others"
"""The key of the rule for every other computer that has none of its own."""
SCREEN, PLACE, MEMORY, HEALTH = "screen", "place", "memory", "health"
NO_APPS = {
    SCREEN: "what the screen shows and what you were doing",
    PLACE: "where the phone is",
    MEMORY: "what you told camphor to remember",
}
"""What can be shared that no app has. An app of such a name is shared with it."""
PRIVATE = frozenset({HEALTH, "fitness", "clinic", MEMORY})
"""What is proposed to nobody: it is shared only where a person names it."""

Rules = Mapping[str, frozenset[str]]
"""By `HERE`, `OTHERS` or the name of a computer: what may go there."""


def can_be_shared(apps: Iterable[str]) -> tuple[str, ...]:
    """Everything that a phone with these apps has to share, in order."""
    return tuple(dict.fromkeys([*apps, *NO_APPS]))


def proposed(apps: Iterable[str]) -> tuple[str, ...]:
    """What is proposed to be shared with another computer."""
    return tuple(each for each in can_be_shared(apps) if each not in PRIVATE)


def rule_for(rules: Rules, computer: str | None) -> frozenset[str] | None:
    """What may go to a computer, None for this one; None where nobody has said anything of it."""
    if computer is None:
        return rules.get(HERE)
    return rules.get(computer.rstrip(".").casefold(), rules.get(OTHERS))


def withheld(apps: Iterable[str], rules: Rules, computer: str | None) -> frozenset[str]:
    """What a model on that computer must not see of a phone with these apps.

    Args:
        computer: None for this one.
    """
    every, rule = frozenset(can_be_shared(apps)), rule_for(rules, computer)
    if rule is None:
        return frozenset() if computer is None else every
    return every - rule


# The rules of one phone, in a file beside its store, as what was said of one phone holds for no other.


def rules_file(store: Path | None) -> Path | None:
    """Where they are kept; nowhere for a phone in memory."""
    return store.with_name(f"{store.name}.sharing") if store else None


def read_rules(store: Path | None) -> dict[str, frozenset[str]]:
    """The rules of the phone with that store; none of a phone in memory.

    Raises:
        UsageError: the file is damaged: nothing is shared by guess.
    """
    path = rules_file(store)
    if path is None or not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return {str(key): frozenset(map(str, _list(value))) for key, value in found.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        raise UsageError(
            f"{path} cannot be read, which says what may be shared with other computers: mend or remove it"
        ) from None


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value


def keep_rule(store: Path, computer: str, apps: Iterable[str] | None) -> None:
    """Keep what may go to a computer, in place of what was kept of it; None forgets it.

    Args:
        computer: its name, `HERE` or `OTHERS`.

    Raises:
        UsageError: the file is damaged. StoreError: it cannot be written.
    """
    rules, path = read_rules(store), rules_file(store)
    assert path
    rules.pop(computer, None)
    if apps is not None:
        rules[computer] = frozenset(apps)
    text = json.dumps({key: sorted(value) for key, value in sorted(rules.items())}, indent=1) + "\n"
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        beside.touch(mode=0o600)
        beside.write_text(text, encoding="utf-8")
        from camphor.device.database import replacing

        with replacing(path):
            beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise StoreError(f"{path}: it cannot be written ({error.strerror}): nothing was changed") from error


def forget_rules(store: Path) -> None:
    """Nothing was said of the phone of that store: another one takes its name, or none. Raises StoreError."""
    path = rules_file(store)
    try:
        from camphor.device.database import erase

        erase(path) if path else None
    except OSError as error:
        raise StoreError(f"{path}: it cannot be deleted ({error.strerror}): delete it and try again") from error


# The phone without what may not be seen.


@dataclass(frozen=True)
class _Part:
    """A store in which some apps are not installed and their records are not; all else is that of the whole one.

    `path` is None: what is kept beside a store, such as the index of its items, is of the whole phone.
    """

    whole: Store
    hidden: frozenset[str]
    path: Path | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.whole, name)

    def document(self) -> dict[str, Any]:
        body = self.whole.document()
        gone = [
            *(("screen", "activity") if SCREEN in self.hidden else ()),
            *(("location", "place") if PLACE in self.hidden else ()),
        ]
        apps = {name: app for name, app in body["apps"].items() if name not in self.hidden}
        return {**{key: value for key, value in body.items() if key not in gone}, "apps": apps}

    def set_document(self, document: dict[str, Any]) -> None:
        raise UsageError("An app is installed on the whole phone, not on the part of it that a model may see")

    def lists(self) -> list[ListInfo]:
        return [info for info in self.whole.lists() if info.app not in self.hidden]

    def list_info(self, app: str, name: str) -> ListInfo | None:
        return None if app in self.hidden else self.whole.list_info(app, name)

    def close(self) -> None:
        """The whole one is closed by whoever opened it."""


def part_of(store: Store, hidden: frozenset[str]) -> Store:
    """The store as one sees it who may not see these apps."""
    return cast("Store", _Part(store, hidden))
