"""The phone: its apps, their records, its toolbox, the journal with undo; and a phone taken in from a device file."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, Form, Path, Query, Request, Response, UploadFile
from pydantic import BaseModel, Field

from camphor.device.apps import KNOWN_APPS
from camphor.device.device import Device
from camphor.device.format import Checker, parse
from camphor.device.journal import EntryState, JournalEntry
from camphor.device.manifests import FOLDER
from camphor.device.store import ListInfo
from camphor.device.usage_events import ItemRef
from camphor.errors import UsageError
from camphor.tools.listing import to_schema
from camphor.tools.tool import Kind
from camphor.web.problems import Conflict, NotFound, WrongKind
from camphor.web.services import Phone, services_of

router = APIRouter(prefix="/api", tags=["device"])
AppName = Annotated[str, Query(max_length=200, description="The name of an installed app")]
ListName = Annotated[str, Query(alias="list", max_length=200, description="The name of one of its record lists")]
LONGEST = 1_000
"""Characters of a text that a page of records shows; the record alone has all of it."""
_MOST_ITEMS = 40


class RecordList(BaseModel):
    name: str
    records: int


class AppTold(BaseModel):
    name: str
    description: str
    kind: Literal["built_in", "manifest", "functions"]
    lists: list[RecordList]
    facts: dict[str, Any] = Field(description="Single objects, such as an account")
    tools: int


class Installed(BaseModel):
    """A phone, its clock and its apps."""

    id: str
    owner: str
    now: str
    timezone: str
    place: str
    screen: str
    apps: list[AppTold]
    available: list[str] = Field(description="Built-in apps that are not installed")
    tools: int
    actions: int = Field(description="Entries of the journal")
    interrupted: list[int] = Field(description="Actions that a crash cut off and nobody has settled")


class RecordItem(BaseModel):
    item: int = Field(description="Its place in the list's order; never used again when it is gone")
    record: dict[str, Any]
    cut: bool = Field(default=False, description="Whether long values are shortened")


class RecordsTold(BaseModel):
    total: int
    start: int
    records: list[RecordItem]


class ToolTold(BaseModel):
    name: str
    app: str
    acts: bool = Field(description="Whether it changes something, so that the person is asked before")
    description: str
    parameters: dict[str, Any] = Field(description="JSON Schema")


class Action(BaseModel):
    """One entry of the journal."""

    id: int
    name: str
    arguments: dict[str, Any]
    state: EntryState
    begun: str
    ended: str | None
    error: str | None
    undoable: bool = Field(description="Whether it can be undone, as long as nothing else changed what it wrote")
    undone: str | None = Field(description="When it was undone")
    interrupted: bool = Field(description="Whether it was cut off, and nobody has said what became of it")


class JournalTold(BaseModel):
    total: int
    actions: list[Action]


class NewApp(BaseModel):
    name: str = Field(
        default="", max_length=64, description='What the app is called; "" where the manifest is {NAME: {...}}'
    )
    manifest: dict[str, Any] | str | None = Field(
        default=None, description="The manifest or its text; none for a built-in app, which then begins empty"
    )


class EntrySettled(BaseModel):
    done: bool


@router.get("/phones/{phone}")
def installed(request: Request, phone: Phone) -> Installed:
    """Whose phone it is, where and when, and what is installed."""
    device = services_of(request).phone(phone)
    every = device.lists()
    return Installed(
        id=device.id, owner=device.owner, now=device.now.isoformat(), timezone=device.timezone, place=device.place,
        screen=device.screen, apps=[_app(device, name, every) for name in device.apps],
        available=[name for name in KNOWN_APPS if name not in device.apps], tools=len(device.toolbox),
        actions=device.actions, interrupted=[entry.id for entry in device.interrupted],
    )  # fmt: skip


@router.post("/phones/{phone}/apps", status_code=201)
def install(request: Request, phone: Phone, app: NewApp) -> AppTold:
    """Install an app: a manifest brings its tools and records, and no code of any kind."""
    device = services_of(request).phone(phone)
    name, manifest = _manifest(app)
    if name in device.apps:
        raise Conflict(f"{name[:80]} is installed on this phone already")
    device.install(name, manifest)
    return _app(device, name, device.lists())


@router.get("/phones/{phone}/records")
def records(
    request: Request,
    phone: Phone,
    app: AppName,
    list_name: ListName,
    query: Annotated[str, Query(max_length=400)] = "",
    start: Annotated[int, Query(ge=0, le=2**31)] = 0,
    most: Annotated[int, Query(ge=1, le=200)] = 50,
) -> RecordsTold:
    """A page of an app's records: those that have the words, best first, or else the last added first."""
    device = services_of(request).phone(phone)
    if not any((info.app, info.name) == (app, list_name) for info in device.lists()):
        raise NotFound(f"{app[:80]} has no list {list_name[:80]} on this phone")
    page = device.page(app, list_name, query.strip(), start, most)
    return RecordsTold(total=page.total, start=start, records=[_item(ordinal, record) for ordinal, record in page.rows])


@router.get("/phones/{phone}/records/{item}")
def record(request: Request, phone: Phone, item: Annotated[int, Path(ge=0, le=2**53)], app: AppName,
           list_name: ListName) -> RecordItem:  # fmt: skip
    """One record, whole."""
    found = services_of(request).phone(phone).record(ItemRef(app, list_name, item))
    if found is None:
        raise NotFound("There is no such record: it may have been removed")
    return RecordItem(item=item, record=found)


@router.get("/phones/{phone}/toolbox")
def toolbox(request: Request, phone: Phone) -> list[ToolTold]:
    """All tools that the installed apps bring, and the phone's own."""
    return [
        ToolTold(
            name=tool.name, app=tool.app, acts=tool.kind is Kind.ACTION, description=tool.description,
            parameters=to_schema(tool)["parameters"],
        )
        for tool in services_of(request).phone(phone).toolbox
    ]  # fmt: skip


@router.get("/phones/{phone}/journal")
def journal(
    request: Request,
    phone: Phone,
    before: Annotated[int | None, Query(ge=1, le=2**53, description="Only actions before this one")] = None,
    most: Annotated[int, Query(ge=1, le=200)] = 50,
) -> JournalTold:
    """What was done on the phone, the newest first."""
    device = services_of(request).phone(phone)
    return JournalTold(
        total=device.actions, actions=[_action(device, each) for each in device.latest_actions(most, before)]
    )


@router.post("/phones/{phone}/journal/{entry}/undo")
def undo(request: Request, phone: Phone, entry: Annotated[int, Path(ge=1, le=2**53)]) -> Action:
    """Take an action back, once. What reached somebody, or was changed since, cannot be."""
    device = services_of(request).phone(phone)
    try:
        return _action(device, device.undo(entry))
    except UsageError as error:
        raise NotFound(str(error)) from None


@router.post("/phones/{phone}/journal/{entry}/settle", status_code=204)
def settle(request: Request, phone: Phone, entry: Annotated[int, Path(ge=1, le=2**53)], settled: EntrySettled) -> None:
    """Say what became of an action that a crash cut off."""
    try:
        services_of(request).phone(phone).settle(entry, settled.done)
    except UsageError:
        raise Conflict("Nobody has to say what became of this action: it was not cut off, or is settled") from None


@router.get("/phones/{phone}/export", response_class=Response, responses={200: {"content": {"application/json": {}}}})
def export(request: Request, phone: Phone) -> Response:
    """The phone as a device file, with everything that was done on it."""
    text = json.dumps(services_of(request).phone(phone).export(), indent=1) + "\n"
    # the name of a kept phone is letters, digits, dots and dashes
    name = "".join(each if each.isascii() else "_" for each in phone)
    headers = {"content-disposition": f'attachment; filename="{name}.device.json"'}
    return Response(text, media_type="application/json", headers=headers)


@router.delete("/phones/{phone}", status_code=204)
def remove(request: Request, phone: Phone) -> None:
    """Delete the phone for good, with its memories, its health and its conversations."""
    services_of(request).remove(phone)


def _manifest(app: NewApp) -> tuple[str, dict[str, Any]]:
    name, manifest = app.name.strip(), app.manifest
    if isinstance(manifest, str):
        manifest = parse(manifest, "the manifest")
    if manifest is None:
        if name not in KNOWN_APPS:
            raise UsageError(f"{name[:80]!r} is no built-in app: give its manifest")
        return name, {each: [] for each in KNOWN_APPS[name].lists}
    if not name:
        inside = [(str(key), value) for key, value in manifest.items() if isinstance(value, dict)]
        if len(manifest) != 1 or not inside:
            raise UsageError("The manifest does not say what the app is called: give its name")
        [(name, manifest)] = inside
    if not name.strip() or len(name) > 64 or not name.isprintable():
        raise UsageError("An app's name has 1 to 64 characters that can be seen")
    return name, manifest


def _app(device: Device, name: str, every: list[ListInfo]) -> AppTold:
    part = device.part(name)
    kind: Literal["built_in", "manifest", "functions"] = (
        "built_in" if name in KNOWN_APPS else "functions" if part.get(FOLDER) else "manifest"
    )
    facts = {key: _short(part[key]) for key in KNOWN_APPS[name].facts if part.get(key)} if kind == "built_in" else {}
    lists = [RecordList(name=info.name, records=info.size) for info in every if info.app == name]
    tools = sum(tool.app == name for tool in device.toolbox)
    about = str(part.get("description") or "")[:LONGEST] if kind != "built_in" else ""
    return AppTold(name=name, description=about, kind=kind, lists=lists, facts=facts, tools=tools)


def _item(ordinal: int, record: dict[str, Any]) -> RecordItem:
    shown = _short(record)
    return RecordItem(item=ordinal, record=shown, cut=shown != record)


def _short(value: Any) -> Any:
    """The value, with long texts and long lists cut short."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST else value[:LONGEST] + "…"
    if isinstance(value, dict):
        return {key: _short(each) for key, each in list(value.items())[:_MOST_ITEMS]}
    if isinstance(value, list):
        return [_short(each) for each in value[:_MOST_ITEMS]]
    return value


def _action(device: Device, entry: JournalEntry) -> Action:
    return Action(
        id=entry.id, name=entry.call.name, arguments=_short(dict(entry.call.arguments)), state=entry.state,
        begun=entry.begun, ended=entry.ended, error=entry.observation.error if entry.observation else None,
        undoable=entry.reversible and not entry.undone, undone=entry.undone,
        interrupted=any(each.id == entry.id for each in device.interrupted),
    )  # fmt: skip


# Phones taken in: a device file becomes a kept phone.

_STORE = b"SQLite format 3\x00"


class PhoneTaken(BaseModel):
    phone: str = Field(description="What it is called here")
    owner: str
    skipped: int = Field(description="Entries of the file's `usage` that are no events of its items")


@router.post("/devices/import", status_code=201)
def import_(
    request: Request,
    file: Annotated[UploadFile, File(description="A .device.json file, at most 32 MiB")],
    name: Annotated[str, Form(max_length=64, description="What to call it here; the file's id unless given")] = "",
    replace: Annotated[bool, Form(description="Put it in the place of a phone of that name")] = False,
) -> PhoneTaken:
    """Take in a phone from a device file."""
    services = services_of(request)
    source = PurePath(file.filename or "the file").name[:80]
    data = parse(_text(file.file.read()), source)
    chosen = name.strip() or data.get("id")
    if not isinstance(chosen, str):
        raise UsageError("The file names no device under `id`: it is no device file, or say what to call it")
    Checker(source).device(data)
    services.keep(chosen, data, replace=replace)
    device = services.phone(chosen)
    return PhoneTaken(phone=chosen, owner=device.owner, skipped=device.usage.skipped)


def _text(found: bytes) -> str:
    """Raises WrongKind: this is no text."""
    if found.startswith(_STORE):
        raise WrongKind("This is a store of camphor, no device file: run  camphor device import FILE  to take it in")
    try:
        text = found.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise WrongKind(f"This is no device file: it is not UTF-8 text (byte {error.start} is none)") from None
    if not text.lstrip().startswith("{"):
        raise WrongKind("This is no device file: it does not begin with {, as a JSON object does")
    return text
