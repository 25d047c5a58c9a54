"""Phones taken in: a device file becomes a kept phone."""

from __future__ import annotations

from pathlib import PurePath
from typing import Annotated

from fastapi import APIRouter, File, Form, Request, UploadFile
from pydantic import BaseModel, Field

from camphor.device.format import Checker, parse
from camphor.errors import UsageError
from camphor.web.problems import WrongKind
from camphor.web.routes.session import services_of

router = APIRouter(prefix="/api/devices", tags=["device"])
_STORE = b"SQLite format 3\x00"


class TakenIn(BaseModel):
    phone: str = Field(description="What it is called here")
    owner: str
    skipped: int = Field(description="Entries of the file's `usage` that are no events of its items")


@router.post("/import", status_code=201)
def import_(
    request: Request,
    file: Annotated[UploadFile, File(description="A .device.json file, at most 32 MiB")],
    name: Annotated[str, Form(max_length=64, description="What to call it here; the file's id unless given")] = "",
    replace: Annotated[bool, Form(description="Put it in the place of a phone of that name")] = False,
) -> TakenIn:
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
    return TakenIn(phone=chosen, owner=device.owner, skipped=device.usage.skipped)


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
