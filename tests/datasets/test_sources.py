"""Hand-written and public requests put onto phones, and the styles of writing."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from camphor_lab.datasets.bank import Bank
from camphor_lab.datasets.generate import generate
from camphor_lab.datasets.handwritten import handwritten_items
from camphor_lab.datasets.human import human_items
from camphor_lab.datasets.phones import make_phone
from camphor_lab.datasets.style import STYLES, restyle


def test_variants_of_a_hand_written_phone_rename_people_everywhere(tmp_path: Path) -> None:
    phone = make_phone(Bank("train"), Random(5), 5)
    folder = tmp_path / "in" / "t1"
    (folder / "devices").mkdir(parents=True)
    person = next(p for p in phone.records("contacts", "people") if not p["is_self"] and "phone_number" in p)
    (folder / "devices" / "x.device.json").write_text(json.dumps(phone.data), encoding="utf-8")
    line = {
        "id": "one",
        "device": "devices/x.device.json",
        "query": f"Text {person['name']} that I'm late",
        "steps": [
            {
                "agent": "personal_context",
                "calls": [{"name": "get_contacts_information", "arguments": {"keyword": person["name"]}}],
            },
            {
                "agent": "task_completion",
                "calls": [
                    {
                        "name": "send_imessage_message",
                        "arguments": {"receiver": person["phone_number"], "content": "I'm late"},
                    }
                ],
            },
        ],
        "calls": [
            {"name": "send_imessage_message", "arguments": {"receiver": person["phone_number"], "content": "I'm late"}}
        ],
    }
    (folder / "items.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    made = list(handwritten_items(tmp_path / "in", tmp_path / "out", variants=4, seed=1))
    assert len(made) == 5
    assert made[0].query == line["query"]
    assert made[0].steps[1]["calls"][0]["arguments"]["receiver"] == person["name"]
    for item in made:
        device = json.loads((tmp_path / "out" / str(item.device)).read_text(encoding="utf-8"))
        names = {p["name"] for p in device["apps"]["contacts"]["people"]}
        assert item.steps[1]["calls"][0]["arguments"]["receiver"] in names


def test_public_requests_are_put_onto_phones(tmp_path: Path) -> None:
    lines = [
        {
            "query": f"set an alarm for {hour} am tomorrow please number {n}",
            "calls": [{"name": "alarm_set", "arguments": {"time": f"{hour} am", "date": "tomorrow"}}],
        }
        for n, hour in enumerate(("five", "six", "seven", "eight", "nine"))
    ]
    lines += [{"query": "frobnicate all of the widgets", "calls": [{"name": "unknown_intent", "arguments": {}}]}]
    (tmp_path / "slurp").mkdir()
    (tmp_path / "slurp" / "train.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8"
    )
    items = list(human_items(tmp_path, tmp_path / "out", seed=2))
    assert items
    for item in items:
        assert item.calls is not None
        assert item.calls[0]["name"] == "create_reminders"
        assert "T0" in item.calls[0]["arguments"]["time"]
        assert (tmp_path / "out" / str(item.device)).exists()


@given(st.sampled_from(STYLES), st.integers(0, 9999))
def test_values_survive_every_style(style: str, seed: int) -> None:
    said = restyle(
        "Text Ana Prieto tomorrow at 5 pm that dinner is ready",
        style,
        Random(seed),
        ["Ana Prieto", "dinner", "tomorrow at 5 pm"],
    )
    for word in ("ana", "prieto", "tomorrow", "5 pm", "dinner"):
        assert word in said.lower()


def test_steps_hold_words_and_gold_holds_values(tmp_path: Path) -> None:
    generate(tmp_path, split="train", count=200, seed=9)
    text = (tmp_path / "train.jsonl").read_text(encoding="utf-8").splitlines()
    seen = 0
    for line in map(json.loads, text):
        for step in line["steps"]:
            for call in step["calls"] if step["agent"] == "task_completion" else ():
                if call["name"] == "create_reminders":
                    seen += 1
                    assert "T" not in call["arguments"]["time"][8:12], "a step must hold words of time"
        for gold in line["calls"]:
            if gold["name"] == "create_reminders":
                assert gold["arguments"]["time"][10] == "T"
    assert seen > 10
