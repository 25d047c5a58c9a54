"""Whether a query says which half of the day an hour is in; two readings guess the same half where it does not."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from camphor.agents.gate.scene import NOON, Scene, clocks_of
from camphor.agents.gate.values import is_at, whole_pieces
from camphor.device.when.fragments import Fragment, TimeKind, fragments
from camphor.device.when.lexicon import canonical
from camphor.tools.tool import Role, Tool
from camphor.types import Call

_EARLIEST = 3  # hour: who says "half two" means the afternoon


def either_half(tool: Tool, call: Call, scene: Scene) -> str:
    """The words of a query for a time of a call that may be in the morning or in the evening; "" without such."""
    named = ((tool.parameter(name), value) for name, value in call.arguments.items())
    times = [str(value) for one, value in named if one is not None and one.role in (Role.TIME, Role.DATE)]
    for piece, at in whole_pieces(scene.moments_said):
        halves = (at.replace(hour=hour, minute=minute) for hour, minute in clocks_of(piece.text, at))
        meant = next((each for each in halves if any(is_at(each, value) for value in times)), None)
        if meant is not None and not _is_clear(piece, meant, scene.now):
            return piece.text
    return ""


def _is_clear(piece: Fragment, at: datetime, now: datetime) -> bool:
    """Whether the half of the day is said, or the other one is over or in the night."""
    said = canonical(piece.text)
    if piece.kind is TimeKind.DAY or any(each.kind is TimeKind.LENGTH for each in fragments(piece.text, now)):
        return True
    written = at.hour > NOON and re.search(rf"\b{at.hour}\b", said)
    over = at.hour >= NOON and at - timedelta(hours=NOON) < now
    return len(clocks_of(said, at)) == 1 or bool(written) or over or at.hour % NOON < _EARLIEST
