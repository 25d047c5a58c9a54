"""Past queries of a phone with the plans that they came to, and what a person says the plans should have been."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from camphor.device.device import Device
from camphor.device.talks import Happened, Talks
from camphor.tools.toolbox import Toolbox
from camphor.trajectories.items import Item
from camphor.trajectories.taught import Asked, Taught, item_of, steps_of
from camphor.types import Call, Turn
from camphor.web.conversations import ENDS
from camphor.web.problems import Conflict, NotFound


@dataclass
class Exchange:
    """A query of a conversation and what it came to.

    Args:
        number: of the event with which it began. ended: the kind of event with which it ended; "" while it is open.
        turn: what the assistant kept of it. calls: those that the model proposed, each with the number of its step.
        kept: the queries that the assistant still knew of after it.
    """

    talk: str
    number: int
    at: str
    query: str
    ended: str = ""
    response: str = ""
    turn: Turn | None = None
    calls: list[tuple[Call, int]] = field(default_factory=list)
    kept: frozenset[str] = frozenset()

    @property
    def asked(self) -> Asked:
        return Asked(f"{self.talk}/{self.number}", self.query, self.at)


def exchanges(talk: str, events: Sequence[Happened]) -> list[Exchange]:
    """The queries of a conversation, oldest first; `events` are all that were kept of it."""
    found: list[Exchange] = []
    step = 0
    for event in events:
        if event.kind == "asked":
            found.append(Exchange(talk, event.number, event.at, str(event.data["query"])))
            step = 0
        elif found and event.kind == "calls":
            step += 1
            found[-1].calls += [(Call(**call), step) for call in event.data["calls"]]
        elif found and event.kind == "turn":
            found[-1].kept = frozenset(event.data["kept"])
            if event.data["turn"]:
                turn = found[-1].turn = Turn.from_json(event.data["turn"])
                # what code looked up by itself is no model's to learn
                taught = enumerate(each.calls for each in turn.steps if each.taught)
                found[-1].calls = [(call, place) for place, calls in taught for call in calls]
        elif found and event.kind in ENDS:
            found[-1].ended = event.kind
            found[-1].response = str(event.data.get("response") or event.data.get("text") or "")
    return found


def past_queries(talks: Talks, most: int) -> list[Exchange]:
    """The queries that ended, of all conversations, those of the newest conversations first."""
    return list(_past(talks, most))


def _past(talks: Talks, most: int) -> Iterator[Exchange]:
    count = 0
    for talk in talks.all():
        for each in reversed(exchanges(talk.id, talks.events(talk.id))):
            if each.ended:
                yield each
                count += 1
                if count == most:
                    return


def exchange_of(talks: Talks, talk: str, number: int) -> tuple[Exchange, Asked]:
    """One query, and it with the turns that the assistant knew of then.

    Raises:
        NotFound: there is no such query. Conflict: it is still being answered.
    """
    all_of_it = exchanges(talk, talks.events(talk))
    place = next((place for place, each in enumerate(all_of_it) if each.number == number), None)
    if place is None:
        raise NotFound("There is no such query: its conversation may have been deleted")
    found, earlier = all_of_it[place], all_of_it[:place]
    if not found.ended:
        raise Conflict("This query is still being answered: wait for its end")
    known = next((each.kept for each in reversed(earlier) if each.ended == "answered"), frozenset())
    history = tuple((each.at, each.turn) for each in earlier if each.turn and each.query in known)
    return found, replace(found.asked, history=history)


def teach(
    device: Device, found: Exchange, asked: Asked, calls: Sequence[tuple[Call, int | None]], response: str
) -> Item:
    """Keep what the plan should have been; says whether that is another one than the model's.

    Raises:
        UnknownTool, UsageError: the plan is none that the phone can carry out. StoreError: it cannot be written.
    """
    steps = steps_of(calls, device.toolbox)
    was = _steps_that_are_there(found.calls, device.toolbox)
    item = item_of(device, asked, steps, response)
    verdict = "yes" if steps == was and (item.calls or response == found.response) else "corrected"
    at = datetime.now(UTC).astimezone().isoformat(timespec="seconds")
    item = replace(item, extra={"verdict": verdict, "at": at, "was": was})
    Taught(device.path).put(item)
    return item


def _steps_that_are_there(calls: Sequence[tuple[Call, int]], toolbox: Toolbox) -> list[dict[str, Any]]:
    """What the model planned, but for tools that the phone has not (any more)."""
    return steps_of([each for each in calls if each[0].name in toolbox], toolbox)
