"""The words of an emergency: what the ambulance and the contacts read, and what the person is told.

Every text says who, when and where, so that it can be understood late, alone and by a stranger.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from importlib.resources import files

from camphor.agents.health.triage import Triage, Urgency
from camphor.device.arithmetic import point_of
from camphor.device.health.outbox import Channel, Message, MessageState
from camphor.health.emergency.lines import Helplines
from camphor.health.emergency.plan import AMBULANCE, AlertScene, Record

_LONGEST_NOTE = 300  # characters: a text message of two or three parts

_TOLD = {
    MessageState.KEPT: "NOT SENT: no delivery was set up, the message is only kept in the outbox",
    MessageState.WAITING: "waiting to be sent",
    MessageState.SENDING: "being sent",
    MessageState.SENT: "sent",
    MessageState.UNCLEAR: "NOT KNOWN whether it was sent",
    MessageState.GIVEN_UP: "NOT SENT: given up",
    MessageState.WITHDRAWN: "taken back before it went out",
}

_WAYS = {Channel.SMS: "text message", Channel.EMAIL: "e-mail", Channel.NOTICE: "notice"}


def call_too(number: str) -> str:
    """What the person is told beside every SOS."""
    return f"Call {number} too if you can: messages may arrive late"


def nobody_told(names: Sequence[str], number: str) -> str:
    """What the person is told of an SOS that reached nobody."""
    lacking = f": not reached: {', '.join(names)}" if names else ": this phone knows nobody who can be told"
    return f"NOBODY was told{lacking}. Call {number} yourself, now"


def told(found: Triage, lines: Helplines) -> list[str]:
    """All that the person is to be told about a verdict, in order, with the numbers of their country.

    A text a finding for what is to be done now, the advice line for what is to be seen today, and the lines that must
    be shown, whatever the verdict is. Nothing for what is routine and has no such line.
    """
    words = _words()[found.language]
    texts = []
    if found.verdict in (Urgency.NOW, Urgency.TODAY):
        for finding in found.findings:
            about = {"title": finding.flag.title, "advice": finding.flag.advice, "emergency": lines.emergency}
            texts.append(words[found.verdict.value].format_map(about))
    shown = [*found.lines, *(["advice"] if found.verdict is Urgency.TODAY else [])]
    for name in shown:
        line = lines.of(name)
        about = {"emergency": lines.emergency, **({"number": line.number, "name": line.name} if line else {})}
        texts.append(words[name if line else f"no_{name}"].format_map(about))
    return list(dict.fromkeys(texts))


def start_text(scene: AlertScene, role: str) -> str:
    """The first message."""
    at = _time(scene.at)
    if role == AMBULANCE:
        called = f"Call back: {scene.phone}." if scene.phone else "There is no number to call back."
        return f"Ambulance needed for {_who(scene, role)}, SOS at {at}. {_where(scene.location)} {called}"
    return f"SOS: {_name(scene)} called for help at {at}. {_where(scene.location)} Please call or go there."


def update_text(scene: AlertScene, role: str, note: str, moved: bool) -> str:
    """News for those who were told before."""
    where = f" {_where(scene.location)}" if moved else ""
    told = " ".join(note.split())[:_LONGEST_NOTE]
    return f"SOS of {_who(scene, role)}, news of {_time(scene.at)}:{where}{f' {told}' if told else ''}"


def end_text(scene: AlertScene, role: str) -> str:
    """The last message."""
    over = f"The SOS of {_who(scene, role)} is over since {_time(scene.at)}."
    return f"{over} The ambulance is no longer needed." if role == AMBULANCE else f"{over} No more help is needed."


def message_line(message: Message) -> str:
    """A message and what became of it, for the person."""
    draft = message.draft
    why = f" ({message.problem})" if message.problem else ""
    return f"{draft.recipient}, by {_WAYS[draft.channel]} to {draft.address}: {_TOLD[message.state]}{why}"


def _who(scene: AlertScene, role: str) -> str:
    # what the user is called in a register says nothing to friends
    return f"{_name(scene)} (user {scene.user_id})" if scene.user_id and role == AMBULANCE else _name(scene)


def _name(scene: AlertScene) -> str:
    return scene.name or "the owner of this phone"


def _time(at: datetime) -> str:
    return f"{at:%H:%M} on {at.day} {at:%B %Y}"


def _where(location: Record) -> str:
    point = point_of(location)
    address = str(location.get("formatted_address") or location.get("city") or "")
    if point is None:
        return f"Exact location not known; last address known: {address}." if address else "Location not known."
    latitude, longitude = point
    named = f", {address}" if address else ""
    at = f"Location: latitude {round(latitude, 5)}, longitude {round(longitude, 5)}{named}."
    return f"{at} Map: https://www.openstreetmap.org/?mlat={latitude:.5f}&mlon={longitude:.5f}"


@cache
def _words() -> dict[str, dict[str, str]]:
    return tomllib.loads((files("camphor") / "health" / "emergency" / "told.toml").read_text(encoding="utf-8"))
