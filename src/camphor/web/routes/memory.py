"""What is remembered of the person and what is kept of the use of the phone: to see, correct, delete and pause."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, Field

from camphor.agents.display import show_record
from camphor.agents.memory import editing as memory_editing
from camphor.agents.memory.editing import LIVING, Hold
from camphor.agents.memory.provenance import what, when
from camphor.app import clean_query
from camphor.device.device import Device
from camphor.device.memories import Memory, MemoryKind, MemoryState
from camphor.device.usage_events import KINDS, ItemRef, UsageEvent
from camphor.device.usage_review import corrected, used_items, why
from camphor.errors import UsageError
from camphor.web.problems import NotFound
from camphor.web.services import Phone, services_of

router = APIRouter(prefix="/api/phones/{phone}", tags=["memory"])
Number = Annotated[int, Path(ge=1, le=2**53)]
Words = Annotated[str, Query(max_length=400, description="Only what has to do with these words")]
_LONGEST = 400
_TITLES = ("title", "name", "subject", "content", "text", "item", "contact")
"""Fields that name a record, the best first."""


class ItemTold(BaseModel):
    """A record that a memory speaks of, or that was used."""

    app: str
    list: str
    item: int
    title: str = Field(description="What names it, in short")
    says: str = Field(description='The record in one line; "" where it is gone')


class MemoryTold(BaseModel):
    """A memory, with the person's own words that it came from."""

    id: int
    kind: MemoryKind
    state: MemoryState
    what: str
    text: str = Field(description="The same in the person's words, to correct it")
    quote: str
    conversation: str = Field(description='Where it was said; "" for outside of one')
    at: str = Field(description="When, on the phone's clock; when it was forgotten, where nothing else is left")
    when: str
    uses: int
    used: str
    items: Sequence[ItemTold]
    contradicts: Sequence[int] = Field(description="Memories that hold and that an unsure one contradicts")


class MemoriesTold(BaseModel):
    paused: bool = Field(description="Whether what is done in conversations is noted no more")
    memories: Sequence[MemoryTold]


class Statement(BaseModel):
    text: str = Field(max_length=4_000, description="A sentence, such as: my sister is Nora")
    hold: Hold = Hold.ASK


class Confirmation(BaseModel):
    both: bool = Field(default=False, description="What it contradicts holds too")


class MemoryAnswer(BaseModel):
    response: str
    memory: int | None = Field(default=None, description="The memory that is not sure yet")
    contradicts: Sequence[int] = ()


class Forgotten(BaseModel):
    forgotten: int
    erased: bool = Field(
        default=True, description="False while another program has the phone open: traces stay in its log"
    )


class Paused(BaseModel):
    paused: bool


class WhyUsed(ItemTold):
    why: Sequence[str] = Field(description="How often, when and where")


class UseEvent(BaseModel):
    event: int
    at: str
    kind: str
    place: str
    screen: str


class Used(BaseModel):
    paused: bool
    skipped: int = Field(description="Entries of the imported file that were no events")
    total: int
    kinds: Sequence[str] = Field(description="What can become of an item")
    items: Sequence[WhyUsed]


class EventCorrection(BaseModel):
    """What is right of an event; what is not given stays."""

    kind: str | None = Field(default=None, max_length=20)
    at: str | None = Field(default=None, max_length=40, description="ISO 8601, on the phone's clock")
    place: str | None = Field(default=None, max_length=200)


@router.get("/memories")
def memories(
    request: Request,
    phone: Phone,
    about: Words = "",
    all_: Annotated[bool, Query(alias="all", description="Also what holds no longer, and what was forgotten")] = False,
) -> MemoriesTold:
    """What is remembered, each with where it came from."""
    device = services_of(request).phone(phone)
    wanted = tuple(MemoryState) if all_ else (MemoryState.CONFIRMED, MemoryState.UNSURE)
    found = memory_editing.about(device, device.memories.all(wanted), about.strip())
    return MemoriesTold(paused=device.memories.paused, memories=[_told(device, each) for each in found])


@router.post("/memories", status_code=201)
def remember(request: Request, phone: Phone, statement: Statement) -> MemoryAnswer:
    """Remember a sentence. One that contradicts another is not sure until it is confirmed."""
    device = services_of(request).phone(phone)
    kept = memory_editing.remember(device, clean_query(statement.text), statement.hold)
    doubt = kept.doubt.id if kept.doubt else None
    return MemoryAnswer(response=kept.response, memory=doubt, contradicts=[each.id for each in kept.others])


@router.put("/memories/paused")
def pause_memories(request: Request, phone: Phone, paused: Paused) -> Paused:
    """Note no more of what is done in conversations, or again. What one says to remember is kept all the same."""
    services_of(request).phone(phone).memories.pause(paused.paused)
    return paused


@router.get("/memories/export", response_class=Response, responses={200: {"content": {"application/json": {}}}})
def export(request: Request, phone: Phone) -> Response:
    """All that is remembered, in every state, as a file."""
    device = services_of(request).phone(phone)
    every = [memory.to_json() for memory in device.memories.all(LIVING)]
    text = json.dumps({"format": "camphor.memories/1", "device": device.id, "memories": every}, indent=1) + "\n"
    headers = {"content-disposition": 'attachment; filename="memories.json"'}
    return Response(text, media_type="application/json", headers=headers)


@router.post("/memories/{number}/confirm")
def confirm(request: Request, phone: Phone, number: Number, confirmation: Confirmation) -> MemoryAnswer:
    """Say that a memory holds; what it contradicts holds no longer, unless both do."""
    device = services_of(request).phone(phone)
    return MemoryAnswer(response=memory_editing.confirm(device, _living(device, number), both=confirmation.both))


@router.post("/memories/{number}/correct")
def correct(request: Request, phone: Phone, number: Number, statement: Statement) -> MemoryAnswer:
    """Put a sentence in the place of a memory, which then holds no longer."""
    device = services_of(request).phone(phone)
    return MemoryAnswer(response=memory_editing.correct(device, _living(device, number), clean_query(statement.text)))


@router.delete("/memories/{number}")
def forget(request: Request, phone: Phone, number: Number) -> Forgotten:
    """Delete a memory for good: its words are then in no file of the phone. Conversations stay as they were."""
    device = services_of(request).phone(phone)
    return Forgotten(forgotten=1, erased=device.memories.forget([_living(device, number).id], device.now))


@router.delete("/memories")
def forget_all(request: Request, phone: Phone) -> Forgotten:
    """Delete all memories for good. Conversations stay as they were."""
    device = services_of(request).phone(phone)
    every = [each.id for each in device.memories.all(LIVING)]
    return Forgotten(forgotten=len(every), erased=not every or device.memories.forget(every, device.now))


@router.get("/usage")
def usage(
    request: Request,
    phone: Phone,
    query: Words = "",
    start: Annotated[int, Query(ge=0, le=2**31)] = 0,
    most: Annotated[int, Query(ge=1, le=200)] = 20,
) -> Used:
    """The items of the phone that were used, those used most of late first, and what is kept about each."""
    device = services_of(request).phone(phone)
    found = used_items(device, query.strip())
    shown = found[start : start + most]
    uses = [WhyUsed(**_item(device, ref).model_dump(), why=why(device, ref)) for ref in shown]
    held = device.usage
    return Used(paused=held.paused, skipped=held.skipped, total=len(found), kinds=KINDS, items=uses)


@router.get("/usage/events")
def events(
    request: Request,
    phone: Phone,
    app: Annotated[str, Query(max_length=200)],
    list_name: Annotated[str, Query(alias="list", max_length=200)],
    item: Annotated[int, Query(ge=0, le=2**53)],
    most: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> list[UseEvent]:
    """Each event that is kept about an item, the newest first."""
    device = services_of(request).phone(phone)
    return [_event(each) for each in device.usage.events(_ref(device, app, list_name, item))[: -most - 1 : -1]]


@router.put("/usage/paused")
def pause_usage(request: Request, phone: Phone, paused: Paused) -> Paused:
    """Note nothing more about the use of the phone, or again."""
    held = services_of(request).phone(phone).usage
    held.pause() if paused.paused else held.resume()
    return paused


@router.patch("/usage/events/{number}")
def correct_event(request: Request, phone: Phone, number: Number, correction: EventCorrection) -> UseEvent:
    """Correct an event; the item's counts are made anew."""
    held = services_of(request).phone(phone).usage
    try:
        before = held.event(number)
    except UsageError:
        raise NotFound("There is no such event: it may have been taken away") from None
    after = corrected(before, correction.kind, correction.at, correction.place)
    held.correct(number, after)
    return _event(replace(after, id=number))


@router.delete("/usage/events/{number}", status_code=204)
def remove_event(request: Request, phone: Phone, number: Number) -> None:
    """Take an event away: it never happened."""
    held = services_of(request).phone(phone).usage
    try:
        held.correct(number, None)
    except UsageError:
        raise NotFound("There is no such event: it may have been taken away") from None


@router.delete("/usage/items/{item}")
def forget_use(
    request: Request,
    phone: Phone,
    item: Annotated[int, Path(ge=0, le=2**53)],
    app: Annotated[str, Query(max_length=200)],
    list_name: Annotated[str, Query(alias="list", max_length=200)],
) -> Forgotten:
    """Delete what is kept about the use of an item, for good. The item itself stays."""
    device = services_of(request).phone(phone)
    return Forgotten(forgotten=device.usage.forget(_ref(device, app, list_name, item)))


@router.delete("/usage")
def forget_all_use(request: Request, phone: Phone) -> Forgotten:
    """Delete all that is kept about the use of the phone, for good."""
    return Forgotten(forgotten=services_of(request).phone(phone).usage.forget_all())


def _living(device: Device, number: int) -> Memory:
    try:
        return memory_editing.living(device, number)
    except UsageError as error:
        raise NotFound(str(error)) from None


def _ref(device: Device, app: str, list_name: str, item: int) -> ItemRef:
    ref = ItemRef(app, list_name, item)
    if device.record(ref) is None:
        raise NotFound("There is no such item: it may have been removed")
    return ref


def _told(device: Device, memory: Memory) -> MemoryTold:
    unsure = memory.state is MemoryState.UNSURE
    others = memory_editing.contradicted(device, memory) if unsure else ()
    gone = memory.state is MemoryState.FORGOTTEN
    return MemoryTold(
        id=memory.id, kind=memory.kind, state=memory.state, what="" if gone else what(memory), text=memory.text,
        quote=memory.origin.quote, conversation=memory.origin.conversation, at=memory.origin.at,
        when=when(memory.origin, device.now.year), uses=memory.uses, used=memory.used,
        items=[_item(device, ref) for ref in memory.items], contradicts=[each.id for each in others],
    )  # fmt: skip


def _item(device: Device, ref: ItemRef) -> ItemTold:
    found: dict[str, Any] = device.record(ref) or {}
    says = show_record(found, device.now.year)
    says = says if len(says) <= _LONGEST else says[:_LONGEST] + "…"
    named = next((str(found[name]) for name in _TITLES if found.get(name)), says)
    return ItemTold(app=ref.app, list=ref.list, item=ref.ordinal, title=named[:120], says=says)


def _event(event: UsageEvent) -> UseEvent:
    at = event.at.isoformat()
    return UseEvent(event=event.id or 0, at=at, kind=event.kind, place=event.place, screen=event.screen[:_LONGEST])
