"""Queries with a model server's replies (data/server-replies), played by a real server to the whole assistant."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from camphor.agents.events import Answer, Answered, ConsentNeeded, Decision, Writing
from camphor.agents.memory.long_term import LongTermMemory
from camphor.agents.prompts import Form
from camphor.agents.strategies.single_agent import single_agent
from camphor.app import Assistant
from camphor.cli.home import open_device
from camphor.device.device import Device
from camphor.errors import CamphorError, ToolError
from camphor.models.base import LanguageModel
from camphor.models.openai import OpenAIModel
from camphor.types import Call
from tests.doubles.model_server import ModelServer, Said, fault, model_server

FOLDER = Path(__file__).parents[2] / "data" / "server-replies"
OVER = fault(400, "the script is at its end")
_FREE = re.compile(r"[^\w]+")


def read(name: str) -> list[dict[str, Any]]:
    """The lines of one of the sets: hostile, right or talks."""
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


@dataclass
class PlayedTurn:
    """What came of one query.

    Attributes:
        text: what the person was told; error: or the one-line error. done: the actions that were agreed to; doubts:
        those of others. written: each text shown while the answer was written. requests: bodies that the server got.
    """

    text: str = ""
    error: str = ""
    done: list[Call] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    requests: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def told(self) -> str:
        """All that the person saw, with what was done."""
        return " ".join([self.text, *(json.dumps(call.arguments, ensure_ascii=False) for call in self.done)])


def play(
    line: Mapping[str, Any], *, agree: bool = False, second: Callable[[], LanguageModel] | None = None
) -> list[PlayedTurn]:
    """The turns of a line, one after the other, as the person would see them.

    Args:
        agree: say yes to doubts too; else as `--yes` does, which is no answer to them.
        second: opens the model that reads each query again before something is done; None for none.
    """
    turns = line.get("turns", [line])
    with closing(open_device(str((FOLDER / line["device"]).resolve()))) as device, model_server() as server:
        model = OpenAIModel(server.url, "scripted")
        assistant = Assistant(device, model, form=Form.FULL, strategy=single_agent, second=second)
        assistant.memory = LongTermMemory(device, assistant.conversation)
        played = [_turn(assistant, server, turn, agree) for turn in turns]
        model.close()
        for turn, one in zip(turns, played, strict=True):
            one.done = [call for call in one.done if call is not None]
            turn["extra"] = [call for call in one.done if not any(same(device, call, may) for may in _may(turn))]
            turn["undone"] = [may for may in _may(turn) if not any(same(device, call, may) for call in one.done)]
        return played


def _may(turn: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = turn.get("may_do", turn.get("done", ()))
    return found


def _turn(assistant: Assistant, server: ModelServer, turn: Mapping[str, Any], agree: bool) -> PlayedTurn:
    one, first = PlayedTurn(), len(server.asked)
    server.says(*(_said(_expanded(reply)) for reply in turn["replies"]), OVER)
    try:
        loop = assistant.run(turn["query"])
        event = next(loop)
        while not isinstance(event, Answered):
            decision = None
            if isinstance(event, ConsentNeeded):
                yes = agree or not event.doubt
                if event.doubt and one.done and one.done[-1] is event.call:
                    one.done.pop()  # the second reading did not agree
                one.done += [event.call] if yes else []
                one.doubts += [event.doubt] if event.doubt else []
                decision = Decision(Answer.YES if yes else Answer.NO, unseen=not agree)
            elif isinstance(event, Writing):
                one.written.append(event.text)
            event = loop.send(decision)
        one.text = event.response
    except CamphorError as error:
        one.error = str(error)
    one.requests = [asked.body for asked in server.asked[first:]]
    return one


def _said(reply: Any) -> Said:
    """A reply as the server sends it, whatever its parts are."""
    reply = reply if isinstance(reply, Mapping) else {"content": reply}
    calls = reply.get("tool_calls")
    message = {"role": "assistant", "content": reply.get("content"), "tool_calls": calls}
    if isinstance(calls, list):
        message["tool_calls"] = [
            {"id": f"call_{at}", "type": "function", "function": each} if isinstance(each, Mapping) else each
            for at, each in enumerate(calls)
        ]
    if "reasoning" in reply:
        message["reasoning_content"] = reply["reasoning"]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    return Said(json.dumps({"choices": [choice]}).encode())


def _expanded(value: Any) -> Any:
    """A value with what is written `{"repeat": {"text": "A", "times": 3}}` written out."""
    if isinstance(value, Mapping):
        if set(value) == {"repeat"}:
            return value["repeat"]["text"] * value["repeat"]["times"]
        return {key: _expanded(each) for key, each in value.items()}
    return [_expanded(each) for each in value] if isinstance(value, list) else value


def same(device: Device, call: Call, wanted: Mapping[str, Any]) -> bool:
    """Whether a call is the wanted one, as the device understands both; case and signs of texts do not matter."""
    one, other = _normal(device, call.name, call.arguments), _normal(device, wanted["name"], wanted["arguments"])
    names = one.arguments.keys() | other.arguments.keys()
    return one.name == other.name and all(
        _plain(one.arguments.get(name, "")) == _plain(other.arguments.get(name, "")) for name in names
    )


def _normal(device: Device, name: str, arguments: Mapping[str, Any]) -> Call:
    call = Call(name, {key: value for key, value in arguments.items() if value is not None})
    try:
        return device.normalise(call)
    except (ToolError, KeyError):
        return call


def _plain(value: Any) -> str:
    return _FREE.sub(" ", str(value).casefold()).strip()
