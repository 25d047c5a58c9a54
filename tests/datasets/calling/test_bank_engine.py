"""The bank of phrases: what is read, what is refused, and what the built-in one makes."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from random import Random

import pytest

from camphor.cli import main
from camphor.device.android.toolbox import android_toolbox
from camphor.device.when.events import clock_of, event_begin, event_end, timer_text, weekdays_of
from camphor.errors import DatasetError
from camphor.tools.invoke import check
from camphor.tools.plans import references
from camphor.tools.tool import Kind, Parameter, Tool, Toolbox
from camphor.trajectories.call_samples import CallSample, read_call_samples
from camphor.types import Agent, Call
from camphor_lab.datasets.calling import dates, times
from camphor_lab.datasets.calling.bank import ROOT, CallBank, CallPhrase, Filled, read_bank
from camphor_lab.datasets.calling.generate import generate, sample_of
from camphor_lab.datasets.calling.slots import SlotSampler, people
from camphor_lab.datasets.similarity import Similar

NOW = datetime(2026, 3, 12, 9, 41)
LIGHT = Tool(
    "set_light",
    "Switch a lamp.",
    (Parameter("room"), Parameter("on", "boolean"), Parameter("level", "integer", required=False)),
    Kind.ACTION,
    Agent.TASK,
)
TIMER = Tool("start_timer", "Count down.", (Parameter("duration"),), Kind.ACTION, Agent.TASK)
TOOLS = Toolbox([LIGHT, TIMER])
PHRASES = """
[[phrase]]
text = ["[switch|turn] on the lamp in the {room}", "light on in the {room}, please do it"]
calls = [{ name = "set_light", arguments = { room = "{room}", on = true } }]

[[phrase]]
text = "count down {duration}"
calls = [{ name = "start_timer", arguments = { duration = "{duration.text}" } }]
"""
ROOMS = 'room = ["kitchen", "cellar", "attic", "hall", "nursery", "garage", "porch", "study"]'


def write_bank(folder: Path, phrases: str = PHRASES, values: str = ROOMS) -> Path:
    for split in ("train", "test"):
        for name, text in ((split, phrases), (f"values_{split}", values)):
            (folder / name).mkdir(parents=True, exist_ok=True)
            (folder / name / "own.toml").write_text(text, encoding="utf-8")
    return folder


def problem(folder: Path, phrases: str, values: str = ROOMS) -> str:
    with pytest.raises(DatasetError) as raised:
        read_bank(write_bank(folder, phrases, values), "train", TOOLS)
    return str(raised.value)


def phrase(text: str, call: str) -> str:
    return f"[[phrase]]\ntext = {text}\ncalls = [{call}]\n"


def test_reads_wordings_and_values(tmp_path: Path) -> None:
    bank = read_bank(write_bank(tmp_path), "train", TOOLS)
    assert [len(each.texts) for each in bank.phrases] == [2, 1]
    assert bank.phrases[1].place == "own.toml, line 6"
    assert "kitchen" in bank.values["room"]


@pytest.mark.parametrize(
    ("text", "call", "told"),
    [
        ('"dim {room}"', '{ name = "dim", arguments = {} }', "there is no function dim"),
        ('"on in {rooms}"', '{ name = "set_light", arguments = { room = "x", on = true } }', "no slot {rooms}"),
        (
            '"on [in {room}|]"',
            '{ name = "set_light", arguments = { room = "{room}", on = true } }',
            "not every alternative",
        ),
        ('"on"', '{ name = "set_light", arguments = { room = "{room}", on = true } }', "the calls use {room}"),
        ('"in {room}"', '{ name = "set_light", arguments = { room = "{room}" } }', "on="),
        ('"in {room}"', '{ name = "set_light", arguments = { room = "{room}", on = "true" } }', "not of its type"),
        ('"in {room}"', '{ name = "set_light", arguments = { room = "{room}", on = true, hue = 1 } }', "hue"),
        (
            '"for {duration}"',
            '{ name = "start_timer", arguments = { duration = "{duration.hours}" } }',
            "no field hours",
        ),
        ('"after"', '{ name = "start_timer", arguments = { duration = "#0" } }', "comes no earlier"),
        ("[]", '{ name = "start_timer", arguments = {} }', "expected text"),
        ('"x"', "", "at least one"),
    ],
)
def test_refuses_a_wrong_phrase_with_its_line(tmp_path: Path, text: str, call: str, told: str) -> None:
    message = problem(tmp_path, "# one line\n" + phrase(text, call))
    assert told in message
    assert "own.toml, line 2" in message


def test_refuses_what_is_no_toml_and_an_empty_folder(tmp_path: Path) -> None:
    assert "not TOML" in problem(tmp_path / "a", "[[phrase")
    with pytest.raises(DatasetError, match=r"no \.toml files"):
        read_bank(tmp_path, "train", TOOLS)


def test_a_table_field_that_is_not_shown_is_meant_by_the_shown_one(tmp_path: Path) -> None:
    phrases = phrase(
        '"light the {place.words}"', '{ name = "set_light", arguments = { room = "{place.room}", on = true } }'
    )
    values = 'place = [{ words = "stove", room = "kitchen" }]'
    bank = read_bank(write_bank(tmp_path, phrases, values), "train", TOOLS)
    made = generate(bank, 1, seed=1).samples[0]
    assert made.answers[0].arguments["room"] == "kitchen"
    assert made.said["0.room"].lower() == "stove"


# ---- times -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(60))
def test_said_times_mean_their_values(seed: int) -> None:
    rng = Random(seed)
    clock = times.drawn_clock(rng, NOW)
    said = clock_of(clock.words)
    assert (said.hour, said.minute) == (clock.fields["hour"], clock.fields["minute"])
    duration = times.drawn_duration(rng, NOW)
    assert timer_text(duration.words) == duration.fields["text"]
    days = times.drawn_weekdays(rng, NOW)
    assert weekdays_of(days.words) == days.fields["list"]
    moment = dates.drawn_moment(rng, NOW)
    assert event_begin(moment.words, NOW) == datetime.fromisoformat(moment.fields["iso"]) > NOW
    span = dates.drawn_span(rng, NOW)
    begin = event_begin(span.sources["begin"][0], NOW)
    assert begin.isoformat() == span.fields["begin"]
    assert event_end(span.sources["end"][0], begin, NOW).isoformat() == span.fields["end"]


def test_people_of_the_splits_differ() -> None:
    for train, test in zip(people("train"), people("test"), strict=True):
        assert not set(train[0]) & set(test[0])
        assert not set(train[1]) & set(test[1])


@pytest.mark.parametrize("kind", ["phone", "email", "uri", "file_uri", "address", "company", "filename", "mime"])
def test_samplers_draw_many_values(kind: str) -> None:
    sampler = SlotSampler(Random(1), "train", NOW, {})
    assert len({sampler.draw(kind).words for _ in range(200)}) > (20 if kind == "mime" else 90)


# ---- samples ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def banks() -> dict[str, CallBank]:
    return {split: read_bank(ROOT, split, android_toolbox()) for split in ("train", "test")}


@pytest.fixture(scope="module")
def samples(banks: dict[str, CallBank]) -> list[CallSample]:
    return generate(banks["train"], 400, seed=5).samples


def test_built_in_splits_share_no_wording_and_cover_all_functions(banks: dict[str, CallBank]) -> None:
    texts = {split: {text for each in bank.phrases for text in each.texts} for split, bank in banks.items()}
    assert not texts["train"] & texts["test"]
    names = {tool.name for tool in android_toolbox()}
    for bank in banks.values():
        assert {name for each in bank.phrases for name in each.functions} == names


def test_samples_are_as_the_functions_want_them(samples: list[CallSample]) -> None:
    tools = android_toolbox()
    assert len(samples) == 400
    for sample in samples:
        for place, call in enumerate(sample.answers):
            assert all(reference.to < place for reference in references(call))
            plain = {name: value for name, value in call.arguments.items() if not any(True for _ in references(value))}
            if len(plain) == len(call.arguments):
                assert check(tools.get(call.name), call).arguments == call.arguments


def test_said_words_stand_in_the_query(samples: list[CallSample]) -> None:
    assert any(sample.said for sample in samples)
    for sample in samples:
        assert all(words in sample.query for words in sample.said.values())
        for place, words in sample.said.items():
            number, _, name = place.partition(".")
            gold = sample.answers[int(number)].arguments.get(name)
            if name == "EXTRA_EVENT_BEGIN_TIME" and sample.now:
                whole = bool(sample.answers[int(number)].arguments.get("EXTRA_EVENT_ALL_DAY"))
                assert event_begin(words, sample.now, whole_day=whole).isoformat() == gold


def test_copied_values_stand_in_the_query(samples: list[CallSample]) -> None:
    for sample in samples:
        for call in sample.answers:
            for name in ("body", "subject", "query", "TITLE", "DESCRIPTION", "phone_number"):
                value = call.arguments.get(name)
                assert not isinstance(value, str) or value in sample.query


def test_no_two_queries_are_alike_and_all_kinds_are_there(samples: list[CallSample]) -> None:
    near = Similar(included=True)
    for sample in samples:
        assert not near.alike(sample.query)
        near.add(sample.query)
    simple = sum("simple" in sample.tags for sample in samples)
    nested = sum("nested" in sample.tags for sample in samples)
    assert 200 <= simple <= 280
    assert nested >= 30


def test_the_same_seed_gives_the_same_samples(banks: dict[str, CallBank]) -> None:
    first, again, other = (generate(banks["test"], 20, seed=seed).samples for seed in (3, 3, 4))
    assert first == again
    assert first != other


def test_ends_where_a_small_bank_has_no_more(tmp_path: Path) -> None:
    rooms = phrase('"light in the {room}"', '{ name = "set_light", arguments = { room = "{room}", on = true } }')
    made = generate(read_bank(write_bank(tmp_path, rooms), "train", TOOLS), 5000, seed=1)
    assert 0 < len(made.samples) < 5000
    assert made.dropped["alike"]


def test_command_makes_a_dataset_of_own_functions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module = tmp_path / "lamps.py"
    module.write_text(
        'def set_light(room: str, on: bool) -> None:\n    """Switch a lamp.\n\n    Args:\n'
        '        room: Where it is.\n        on: Whether it burns.\n    """\n\n\n'
        'def start_timer(duration: str) -> None:\n    """Count down.\n\n    Args:\n'
        '        duration: How long.\n    """\n'
    )
    out, bank = tmp_path / "out", write_bank(tmp_path / "bank")
    command = ["data", "calls", str(out), "--train", "8", "--test", "4", "--json", "--tools", str(module)]
    assert main([*command, "--bank", str(bank)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["splits"]["train"]["samples"] == len(list(read_call_samples(out / "train.jsonl")))
    assert {tool["name"] for tool in json.loads((out / "tools.json").read_text())} == {"set_light", "start_timer"}
    assert main(command) == 2
    assert "--bank" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "value", "said"),
    [
        ("Mark it: call Mark", "Mark", "Mark"),
        ("will you text Will", "Will", "Will"),  # not the first word
        ("text WILL", "Will", "WILL"),
        ("marked, then Mark", "Mark", "Mark"),
    ],
)
def test_a_copied_value_has_the_capitals_of_its_own_words(text: str, value: str, said: str) -> None:
    call = Call("start_timer", {"duration": value})
    read = CallPhrase((text,), (call,), "own.toml, line 1")
    filled = Filled(text, (call,), (), {}, frozenset({"0.duration"}), False, False, read)
    sample = sample_of(text, "plain", [filled], NOW)
    assert sample is not None
    assert sample.answers[0].arguments == {"duration": said}
