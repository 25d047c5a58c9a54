"""What a question may be about that leaves its thing unsaid: records that the phone's use speaks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from camphor.agents.answering.answer import sight_of
from camphor.agents.answering.model import read_answering
from camphor.agents.answering.programs import Pick
from camphor.agents.answering.question import names_of, read_question
from camphor.agents.answering.render import render_likely
from camphor.agents.relevant import LEFT_UNSAID, WORTH_TELLING
from camphor.device.usage_events import ItemRef

if TYPE_CHECKING:
    from camphor.device.device import Device
    from camphor.retrieval.context.relevance import Relevant

Ranked = Callable[[str], Sequence["Relevant"]]
"""Which items of the phone matter for a query, likeliest first."""
_MOST = 3
"""Records that are told as what a question may be about."""


def likely(query: str, device: Device, ranked: Ranked) -> str:
    """The records that a question may be about which leaves its thing unsaid; "" where that cannot be told."""
    return _tell(query, device, _likeliest(ranked(query)))


def _likeliest(items: Sequence[Relevant]) -> list[ItemRef]:
    """The items that are worth telling; none where the query names its thing."""
    unsaid = (item for item in items if item.known and item.unsaid >= LEFT_UNSAID)
    return [item.ref for item in unsaid if item.sure >= WORTH_TELLING][:_MOST]


def _tell(query: str, device: Device, refs: Sequence[ItemRef]) -> str:
    question = read_question(query, device.now, names_of(device.people()))
    sight = sight_of(query, device, {}, read_answering())
    rows = {(each.app, each.name, row.ordinal): Pick(each, row) for each in sight.tables for row in each.rows}
    picks = [rows[ref] for ref in refs if ref in rows]
    return render_likely(picks, question, sight) if picks else ""
