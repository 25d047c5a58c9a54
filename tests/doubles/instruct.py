"""A model that writes samples for the functions in its prompt, always the same for the same prompt."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from random import Random
from typing import Any

from camphor.errors import ModelError
from camphor.models.base import Reply, Request

FUNCTIONS: list[dict[str, Any]] = [
    {
        "name": "set_alarm",
        "description": "Set an alarm.",
        "parameters": {
            "properties": {
                "hour": {"type": "integer", "description": "hour of the day, 0 to 23"},
                "minute": {"type": "integer", "description": "minute of the hour"},
            },
            "required": ["hour", "minute"],
        },
    },
    {
        "name": "find_number",
        "description": "Look up somebody's phone number.",
        "parameters": {"properties": {"person": {"type": "string"}}, "required": ["person"]},
    },
    {
        "name": "send_text",
        "description": "Send a message.",
        "parameters": {
            "properties": {"number": {"type": "string"}, "text": {"type": "string"}},
            "required": ["number", "text"],
        },
    },
]
WORDS = (
    *("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "hazel", "inlet"),
    *("jetty", "kelp", "lotus", "maple", "nectar", "olive", "pearl", "quartz", "reef"),
)
OPENINGS = ("{}", "please {}", "could you {} for me", "i would like you to {} now", "hey there, {} if you can")


def samples_for(names: list[str], rng: Random, count: int) -> list[dict[str, Any]]:
    """Right samples of these functions, each of other words."""
    return [_sample(names, rng) for _ in range(count)]


def _sample(names: list[str], rng: Random) -> dict[str, Any]:
    parts, answers = [], []
    for name in names:
        words = " ".join(rng.sample(WORDS, 4))
        number = "".join(rng.choices("123456789", k=9))
        hour, minute = rng.randrange(13, 24), rng.randrange(10, 60)
        said, arguments = {
            "set_alarm": (f"wake us {words} at {hour}:{minute}", {"hour": hour, "minute": minute}),
            "find_number": (f"find the number of {words}", {"person": words}),
            "send_text": (f"text {number} the words {words}", {"number": number, "text": words}),
        }[name]
        parts.append(said)
        answers.append({"id": len(answers), "name": name, "arguments": arguments})
    if "find_number" in names and "send_text" in names:
        at = names.index("find_number")
        if at < names.index("send_text"):
            answers[names.index("send_text")]["arguments"]["number"] = f"#{at}"
    return {"query": rng.choice(OPENINGS).format(" and ".join(parts)), "answers": answers}


def prompt_of(request: Request) -> str:
    return "".join(segment.text for segment in request.prompt)


def answer(prompt: str) -> str:
    """A list of samples in prose, with one that is made up and one that breaks off."""
    names = [
        json.loads(tool)["name"] for tool in re.findall(r"^tool: (.*)$", prompt.split("What the samples")[0], re.M)
    ]
    rng = Random(prompt)
    written = samples_for(names, rng, 4)
    made_up = samples_for(names, rng, 1)[0]
    made_up["query"] = "do what is needed"
    whole = ",\n".join(json.dumps(each) for each in (*written, made_up))
    return f'Here they are:\n```json\n[{whole},\n{{"query": "half of it'


class Writer:
    """Such a model. It fails at the requests of these numbers, from 0, and counts them all."""

    context = 8192

    def __init__(self, fails: Callable[[int], bool] = lambda number: False) -> None:
        self.prompts: list[str] = []
        self._fails, self._lock = fails, threading.Lock()

    def complete(self, request: Request) -> Reply:
        with self._lock:
            number = len(self.prompts)
            self.prompts.append(prompt_of(request))
        if self._fails(number):
            raise ModelError("the server broke off: try again")
        return Reply(answer(prompt_of(request)))

    def count_tokens(self, text: str) -> int:
        return len(text) // 4

    def close(self) -> None:
        """Nothing to free."""
