"""To whom a message of an emergency goes, and who cannot be reached."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from camphor.errors import ArgumentError

Record = Mapping[str, Any]


def recipients(
    tool: str, phone_no: str | None, everybody: bool, contacts: Iterable[Record]
) -> tuple[list[dict[str, str]], list[str]]:
    """Those who get a message, each once, and a sentence on each emergency contact who cannot.

    Args:
        tool: for errors. phone_no: a number. everybody: whether all emergency contacts get it.
        contacts: the emergency contacts, `name` and `phone_number`.

    Raises:
        ArgumentError: nobody is named, or nobody can be reached.
    """
    reached = [{"phone_no": phone_no}] if phone_no else []
    skipped = []
    listed = list(contacts) if everybody else []
    for contact in listed:
        name, number = str(contact.get("name") or "somebody without a name"), str(contact.get("phone_number") or "")
        if not number.strip():
            skipped.append(f"{name} has no phone number")
        elif all(number != other["phone_no"] for other in reached):
            reached.append({"name": name, "phone_no": number})
    if reached:
        return reached, skipped
    if not everybody:
        raise ArgumentError(tool, "phone_no", phone_no, "a number, or to_emergency_contacts=true")
    lacking = "; ".join(skipped) or "there is no emergency contact"
    raise ArgumentError(tool, "to_emergency_contacts", True, f"an emergency contact with a phone number: {lacking}")
