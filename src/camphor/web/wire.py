"""Events of the assistant as the JSON that pages, the event stream and the kept conversation all share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse

from camphor.agents.events import (
    AgentChosen,
    Answered,
    CallsProposed,
    ConsentNeeded,
    Event,
    Observed,
    Recalled,
)
from camphor.tools.tool import Parameter, Toolbox
from camphor.types import Observation


class Json(JSONResponse):
    """JSON in ASCII: a record may hold half a character (a lone surrogate), which UTF-8 cannot say."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


MOST_SHOWN = 25
"""Records of one look-up that are shown; how many there were is told."""


def of_event(event: Event, toolbox: Toolbox) -> tuple[str, dict[str, Any]]:
    """The kind of an event and what it holds."""
    if isinstance(event, AgentChosen):
        return "agent", {"agent": event.agent.value}
    if isinstance(event, CallsProposed):
        return "calls", {"agent": event.agent.value, "calls": [call.to_json() for call in event.calls]}
    if isinstance(event, Observed):
        seen = [of_observation(each) for each in event.step.observations]
        return "observed", {"agent": event.step.agent.value, "observations": seen}
    if isinstance(event, Recalled):
        return "recalled", {"text": event.told}
    if isinstance(event, ConsentNeeded):
        fields = toolbox.get(event.call.name).parameters if event.call.name in toolbox else ()
        return "consent", {
            "call": event.call.to_json(),
            "description": event.description,
            "doubt": event.doubt,
            "evidence": [
                {"parameter": each.parameter, "value": each.value, "source": each.source, "doubt": each.doubt}
                for each in event.evidence
            ],
            "fields": [of_parameter(each, event.call.arguments) for each in fields],
        }
    return "answered", of_answer(event)


def of_answer(answered: Answered) -> dict[str, Any]:
    """What a query came to."""
    cost = answered.cost
    return {
        "response": answered.response,
        "refused": len(answered.refused),
        "timing": {
            "model_seconds": round(cost.seconds, 3),
            "prompt_tokens": cost.prompt_tokens,
            "cached_tokens": cost.cached_tokens,
            "generated_tokens": cost.generated_tokens,
        },
    }


def of_observation(seen: Observation) -> dict[str, Any]:
    """What the phone said to one call; of many records the first."""
    records = [dict(each) for each in seen.records[:MOST_SHOWN]]
    return {"call": seen.call.to_json(), "records": records, "found": len(seen.records), "error": seen.error}


def of_parameter(parameter: Parameter, values: Mapping[str, Any]) -> dict[str, Any]:
    """A field of a consent card: its name, what it is for, its value, and whether it must be filled."""
    value = values.get(parameter.name)
    return {
        "name": parameter.name,
        "description": parameter.description,
        "value": value,
        "required": parameter.required,
        "choices": list(parameter.enum or ()),
        "is_text": isinstance(value, str) or value is None,
    }
