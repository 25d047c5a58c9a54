"""Small stand-ins for what the evaluation is given: a toolbox, and a similarity that knows which texts are alike."""

from __future__ import annotations

from collections.abc import Iterable

from camphor.tools.tool import Kind, Parameter, Role, Tool
from camphor.tools.toolbox import Toolbox
from camphor.types import Agent, Call


class Alike:
    """A similarity that is 0.9 for the given pairs and 0.1 for all others, and counts what it was asked."""

    def __init__(self, *pairs: tuple[str, str]) -> None:
        self.pairs = {frozenset(pair) for pair in pairs}
        self.prepared: list[str] = []
        self.asked = 0

    def prepare(self, texts: Iterable[str]) -> None:
        self.prepared += texts

    def cosine(self, first: str, second: str) -> float:
        self.asked += 1
        return 0.9 if frozenset((first, second)) in self.pairs else 0.1


def action(name: str, *parameters: Parameter) -> Tool:
    return Tool(name, f"Does {name}.", parameters, Kind.ACTION, Agent.TASK)


TOOLBOX = Toolbox(
    [
        action("send_message", Parameter("receiver", role=Role.PHONE), Parameter("content")),
        action("send_mail", Parameter("receiver", role=Role.EMAIL), Parameter("content")),
        action("remind", Parameter("time", role=Role.TIME), Parameter("content")),
        action("cancel", Parameter("event", role=Role.REFERENCE)),
        action("ring", Parameter("person", role=Role.PERSON)),
        action(
            "book",
            Parameter("date", role=Role.DATE),
            Parameter("nights", type="integer"),
            Parameter("quiet", type="boolean"),
        ),
        action("switch", Parameter("state", enum=("on", "off")), Parameter("room", role=Role.NAME, required=False)),
        action("block", Parameter("span", role=Role.TIME_RANGE)),
        action(
            "invite",
            Parameter("people", type="array", role=Role.PERSON),
            Parameter("place", type="object", required=False),
        ),
        Tool("find", "Finds.", (Parameter("keyword", role=Role.KEYWORD),), Kind.CONTEXT, Agent.CONTEXT),
    ]
)


def message(content: object, receiver: str = "555-123-4567") -> Call:
    return Call("send_message", {"receiver": receiver, "content": content})
