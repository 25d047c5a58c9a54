"""What the gate makes of a few words after an action: a correction of it, a matter that is left, or neither."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from camphor.agents.gate.words import gate_words
from camphor.app import Assistant, run_to_end
from camphor.device.device import Device
from camphor.models.base import ScriptedModel
from tests.agents.gate.test_hostile_models import PHONE

WITHDRAWING = tomllib.loads((files("camphor.agents.gate") / "gate.toml").read_text(encoding="utf-8"))["withdrawing"]
CONTACT = ["personal_context", ' [get_contacts_information(keyword="Ana")]']
FIRST = "text Ana that the pump works"


def written(receiver: str, content: str) -> list[str]:
    return ["task_completion", f' [send_imessage_message(receiver="{receiver}", content="{content}")]']


def sent(reply: str, *calls: str) -> list[tuple[str, str]]:
    """The messages on the phone after a first one and a reply to it, both under a plain yes to what is not in doubt."""
    device = Device.create(None, PHONE)
    helper = Assistant(device, ScriptedModel([*CONTACT, *written("Ana Prieto", "The pump works"), *calls]))
    run_to_end(helper, FIRST, consent=True)
    run_to_end(helper, reply, consent=True)
    found = device.records("imessage", "messages")
    return [(str(each["contact"]), str(each["text"])) for each in found]


@pytest.mark.parametrize(
    "reply", ["Unnecessary.", WITHDRAWING["example"], "on reflection, no, leave it be", "never mind"]
)
def test_what_leaves_the_matter_is_no_other_message(reply: str) -> None:
    assert sent(reply, *written("Ana Prieto", reply.strip("."))) == [("Ana Prieto", "The pump works")]


def test_another_receiver_is_a_correction() -> None:
    assert sent("no, my mother", "task_completion", " []") == [
        ("Ana Prieto", "The pump works"),
        ("Lurdes Marques", "The pump works"),
    ]


def test_what_only_begins_like_leaving_it_does_not() -> None:
    assert gate_words().withdrawing.fullmatch(WITHDRAWING["example"])
    assert not gate_words().withdrawing.fullmatch(WITHDRAWING["counter"])
