"""Teach: the plan of a past query, put right, becomes a training sample in the form of every data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, Field

from camphor.device.device import Device
from camphor.device.talks import Happened, Talks
from camphor.tools.tool import Kind, Tool
from camphor.trajectories.items import Item
from camphor.trajectories.taught import AskedQuery, Taught, item_of, steps_of
from camphor.types import Agent, Call, Turn
from camphor.web.conversations import ENDS
from camphor.web.feed import of_parameter
from camphor.web.problems import Conflict, NotFound
from camphor.web.services import Phone, services_of

router = APIRouter(prefix="/api/phones/{phone}/taught", tags=["teach"])
Talk = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
Number = Annotated[int, Path(ge=1, le=2**31, description="The event with which the query began")]
SampleId = Annotated[str, Path(pattern="^taught-[0-9a-f]{12}$")]
MOST_CALLS = 20


class PlanCall(BaseModel):
    name: str = Field(max_length=200)
    arguments: dict[str, Any] = Field(default_factory=dict, description="As a person writes them: code normalises")
    step: int | None = Field(None, description="Calls of one agent with one number are made together")


class PastQuery(BaseModel):
    talk: str
    number: int
    query: str
    at: str
    ended: str = Field(description="answered, stopped, failed or interrupted")
    calls: list[str] = Field(description="The names of the tools of its plan")
    sample: str | None = Field(description="The sample that it became")


class PlanTold(BaseModel):
    """What the model planned, and the sample that was made of it, if there is one."""

    talk: str
    number: int
    query: str
    at: str
    ended: str
    response: str
    calls: list[PlanCall]
    history: list[str] = Field(description="The queries before it, which go with it as far as they can be played again")
    taught: list[PlanCall] | None = Field(description="The plan as it was put right before")
    taught_response: str


class RightPlan(BaseModel):
    calls: Annotated[list[PlanCall], Field(max_length=MOST_CALLS)]
    response: str = Field("", max_length=2000, description="What the answer should be; needed where nothing is done")


class SampleTold(BaseModel):
    id: str
    query: str
    at: str
    verdict: str = Field(description="yes: the plan was right; corrected: it was put right")
    was: list[PlanCall]
    calls: list[PlanCall]
    response: str
    history: int = Field(description="How many earlier turns go with it")


class ToolFields(BaseModel):
    name: str
    app: str
    agent: Agent
    acts: bool = Field(description="Whether it changes something")
    description: str
    fields: list[dict[str, Any]] = Field(description="name, description, required, choices")


@router.get("/tools")
def tools(request: Request, phone: Phone) -> list[ToolFields]:
    """What a plan can call on this phone, and the fields of each tool."""
    return [_tool(each) for each in services_of(request).phone(phone).toolbox]


@router.get("/queries")
def queries(request: Request, phone: Phone, most: Annotated[int, Query(ge=1, le=500)] = 100) -> list[PastQuery]:
    """What was asked on this phone, the newest conversation first."""
    services = services_of(request)
    known = Taught(services.phone(phone).path).items()
    return [_past(each, known) for each in past_queries(services.talks(phone), most)]


@router.get("/queries/{talk}/{number}")
def plan(request: Request, phone: Phone, talk: Talk, number: Number) -> PlanTold:
    """The plan of a past query."""
    services = services_of(request)
    found, asked = exchange_of(services.talks(phone), talk, number)
    sample = Taught(services.phone(phone).path).items().get(asked.id)
    return PlanTold(
        talk=talk,
        number=number,
        query=found.query,
        at=found.at,
        ended=found.ended,
        response=found.response,
        calls=[PlanCall(name=call.name, arguments=dict(call.arguments), step=step) for call, step in found.calls],
        history=[turn.query for _, turn in asked.history],
        taught=_calls(sample.steps) if sample else None,
        taught_response=sample.response if sample else "",
    )


@router.put("/queries/{talk}/{number}")
def put_right(request: Request, phone: Phone, talk: Talk, number: Number, right: RightPlan) -> SampleTold:
    """Say what the plan should have been. It is tried out on a copy of the phone as it was before: nothing is done."""
    services = services_of(request)
    found, asked = exchange_of(services.talks(phone), talk, number)
    calls = [(Call(each.name, each.arguments), each.step) for each in right.calls]
    return _sample(teach(services.phone(phone), found, asked, calls, right.response))


@router.get("")
def samples(request: Request, phone: Phone) -> list[SampleTold]:
    """What was taught on this phone, the latest last."""
    return [_sample(each) for each in Taught(services_of(request).phone(phone).path).items().values()]


@router.get("/export", response_class=Response, responses={200: {"content": {"application/x-ndjson": {}}}})
def export(request: Request, phone: Phone) -> Response:
    """All of it as JSON lines: what `camphor lab train` learns from. Each line holds the phone as it was."""
    text = Taught(services_of(request).phone(phone).path).export()
    name = f"taught-{phone}.jsonl".encode("ascii", "replace").decode()
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return Response(text.encode("ascii"), media_type="application/x-ndjson", headers=headers)


@router.delete("/{sample}", status_code=204)
def remove(request: Request, phone: Phone, sample: SampleId) -> None:
    """Forget a sample."""
    if not Taught(services_of(request).phone(phone).path).remove(sample):
        raise NotFound("There is no such sample: it may have been deleted")


def _tool(tool: Tool) -> ToolFields:
    fields = [of_parameter(each, {}) for each in tool.parameters]
    acts = tool.kind is Kind.ACTION
    return ToolFields(
        name=tool.name, app=tool.app, agent=tool.agent, acts=acts, description=tool.description, fields=fields
    )


def _past(found: Exchange, known: dict[str, Item]) -> PastQuery:
    return PastQuery(
        talk=found.talk,
        number=found.number,
        query=found.query,
        at=found.at,
        ended=found.ended,
        calls=[call.name for call, _ in found.calls],
        sample=found.asked.id if found.asked.id in known else None,
    )


def _sample(item: Item) -> SampleTold:
    return SampleTold(
        id=item.id,
        query=item.query,
        at=str(item.extra.get("at") or ""),
        verdict=str(item.extra.get("verdict") or ""),
        was=_calls(item.extra.get("was") or ()),
        calls=_calls(item.steps),
        response=item.response,
        history=len(item.history),
    )


def _calls(steps: Any) -> list[PlanCall]:
    return [
        PlanCall(name=call["name"], arguments=dict(call["arguments"]), step=place)
        for place, step in enumerate(steps)
        for call in step["calls"]
    ]


# what was asked, and what is kept of it


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
    def asked(self) -> AskedQuery:
        return AskedQuery(f"{self.talk}/{self.number}", self.query, self.at)


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
    every = (each for talk in talks.all() for each in reversed(exchanges(talk.id, talks.events(talk.id))))
    return list(islice((each for each in every if each.ended), most))


def exchange_of(talks: Talks, talk: str, number: int) -> tuple[Exchange, AskedQuery]:
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
    device: Device, found: Exchange, asked: AskedQuery, calls: Sequence[tuple[Call, int | None]], response: str
) -> Item:
    """Keep what the plan should have been; says whether that is another one than the model's.

    Raises:
        UnknownTool, UsageError: the plan is none that the phone can carry out. StoreError: it cannot be written.
    """
    steps = steps_of(calls, device.toolbox)
    # what the model planned, but for tools that the phone has not (any more)
    was = steps_of([each for each in found.calls if each[0].name in device.toolbox], device.toolbox)
    item = item_of(device, asked, steps, response)
    verdict = "yes" if steps == was and (item.calls or response == found.response) else "corrected"
    at = datetime.now(UTC).astimezone().isoformat(timespec="seconds")
    item = replace(item, extra={"verdict": verdict, "at": at, "was": was})
    Taught(device.path).put(item)
    return item
