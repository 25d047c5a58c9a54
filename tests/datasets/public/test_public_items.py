"""Public lines become items: grounded values, other names every time, and replays that lead to the gold calls."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camphor.device.apps import BUILT_IN_APPS
from camphor.device.device import Device
from camphor.errors import UsageError
from camphor.tools.readers import from_schema
from camphor.trajectories.items import Item, check, replay
from camphor.types import Agent
from camphor_lab.datasets.bank import load
from camphor_lab.datasets.public import make
from camphor_lab.datasets.public.__main__ import main
from camphor_lab.datasets.public.build import too_near
from camphor_lab.datasets.public.lines import (
    FoundLater,
    PublicRequest,
    PublicTool,
    ToolUse,
    grounded,
    read_requests,
    span,
    tables,
)
from camphor_lab.datasets.public.make import chained
from camphor_lab.datasets.public.naming import STYLES, Style, description, draw_style, dress

TEXT = {"type": "string"}


def schema(name: str, *parameters: str, description: str = "", required: tuple[str, ...] = ()) -> dict[str, Any]:
    properties = {parameter: dict(TEXT) for parameter in parameters}
    body = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": description or name.replace("_", " "), "parameters": body}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    catalogue = [
        schema("alarm_set", "time", "date"),
        schema("iot_coffee", "coffee_type"),
        schema("weather_query", "place_name", "date"),
        schema("play_game", "game_name"),
        schema("iot_cleaning", "house_place"),
        schema("recommendation_locations", "business_type"),
        schema("transport_taxi", "place_name", "transport_type"),
    ]
    lines = []
    for number, hour in enumerate(("six", "seven", "eight", "nine", "ten", "noon", "half past four")):
        lines.append(("alarm_set", f"set an alarm for {hour}", {"time": hour}, number))
    for number, place in enumerate(("oslo", "accra", "lima", "cardiff", "new delhi", "quito")):
        lines.append(("weather_query", f"how is the weather in {place}", {"place_name": place}, number))
    for number, game in enumerate(("chess", "snake", "bridge", "solitaire", "go fish")):
        lines.append(("play_game", f"start a round of {game}", {"game_name": game}, number))
    for number, kind in enumerate(("bakery", "tailor", "cinema", "museum", "garage", "library")):
        lines.append(("recommendation_locations", f"find me a {kind}", {"business_type": kind}, number))
    for number, goal in enumerate(("the station", "the airport", "the zoo", "the harbour")):
        lines.append(
            ("transport_taxi", f"order a taxi to {goal}", {"place_name": goal, "transport_type": "taxi"}, number)
        )
    made = [
        {"id": f"{name}-{number}", "query": query, "tools": catalogue, "calls": [{"name": name, "arguments": given_}]}
        for name, query, given_, number in lines
    ]
    _write(tmp_path / "slurp", made, catalogue)
    rent = schema("rent_boat", "boat", "harbour", "note", description="Rent a boat.", required=("boat",))
    tide = schema(
        "get_tide_table", "harbour", description="Retrieve the tide table of a harbour.", required=("harbour",)
    )
    both = [
        {"name": "get_tide_table", "arguments": {"harbour": "Howth"}},
        {"name": "rent_boat", "arguments": {"boat": "Gull"}},
    ]
    own = [
        {"id": "s1", "query": "Check the tides at Howth, then rent the boat Gull.", "tools": [rent, tide],
         "calls": both},
        {"id": "s2", "query": "Rent the Heron", "tools": [rent], "calls": [
            {"name": "rent_boat", "arguments": {"boat": "Heron", "note": "as agreed by letter"}}]},
        {"id": "s3", "query": "Rent some boat", "tools": [rent], "calls": [
            {"name": "rent_boat", "arguments": {"boat": "Albatross"}}]},
        {"id": "s4", "query": "Rent what you find", "nested": True, "tools": [rent], "calls": [
            {"name": "rent_boat", "arguments": {"boat": "$var1.name$"}}]},
    ]  # fmt: skip
    _write(tmp_path / "seal_tools", own)
    asked = ["how do owls sleep", "which cheese melts best", "where do eels spawn", "how to fold a map"]
    _write(tmp_path / "clinc_oos", [{"id": text, "query": text, "tools": [], "calls": []} for text in asked])
    return tmp_path


def _write(path: Path, lines: list[dict[str, Any]], catalogue: list[dict[str, Any]] | None = None) -> None:
    path.mkdir()
    (path / "train.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    if catalogue:
        (path / "tools.json").write_text(json.dumps(catalogue), encoding="utf-8")


def tools_of_item(item: Item) -> dict[str, dict[str, Any]]:
    assert isinstance(item.device, dict)
    return {tool["name"]: tool for app in item.device["apps"].values() for tool in app.get("tools", ())}


def test_every_item_replays_to_its_gold_calls_on_its_own_phone(folder: Path) -> None:
    items = list(make(folder, limit=60, seed=3))
    assert len(items) > 30
    for item in items:
        assert isinstance(item.device, dict)
        with Device.create(None, item.device) as device:
            check(item, replay(item, device))


def test_texts_in_calls_are_words_of_the_query_or_of_what_was_found(folder: Path) -> None:
    for item in make(folder, limit=60, seed=4):
        assert isinstance(item.device, dict)
        with Device.create(None, item.device) as device:
            trajectory = replay(item, device)
        seen = item.query.lower()
        for step in trajectory.turn.steps:
            for call in step.calls:
                for name, value in call.arguments.items():
                    schema_ = tools_of_item(item).get(call.name, {}).get("parameters", {}).get("properties", {})
                    if isinstance(value, str) and "enum" not in schema_.get(name, {}):
                        assert value.lower() in seen
            seen += " ".join(str(value) for o in step.observations for r in o.records for value in r.values()).lower()


def test_names_change_from_item_to_item_and_the_same_seed_gives_the_same(folder: Path) -> None:
    first, again = list(make(folder, limit=40, seed=5)), list(make(folder, limit=40, seed=5))
    assert [item.to_json() for item in first] == [item.to_json() for item in again]
    alarms = {
        call["name"]
        for item in first
        for call in item.calls or ()
        if "alarm" in item.query and "taxi" not in item.query
    }
    assert len(alarms) > 2
    assert first != list(make(folder, limit=40, seed=6))


def test_no_phone_has_an_app_that_could_do_it_as_well_or_one_of_the_bank(folder: Path) -> None:
    for item in make(folder, limit=60, seed=7):
        assert isinstance(item.device, dict)
        apps = set(item.device["apps"])
        assert not apps & set(load()["apps"])
        if item.calls and "alarm" in item.query:
            assert "reminders" not in apps


def test_a_missing_tool_means_no_call_and_a_question_goes_to_the_web(folder: Path) -> None:
    items = list(make(folder, limit=70, seed=8))
    without = [item for item in items if item.tags[-1] == "without"]
    assert without
    assert all(item.calls == () and item.response for item in without)
    asked = [item for item in items if item.tags[1] == "clinc_oos"]
    assert asked
    assert all(item.steps[0]["agent"] == Agent.KNOWLEDGE.value and item.calls == () for item in asked)


def test_lines_whose_values_were_not_said_are_left_out_and_counted(folder: Path) -> None:
    counts: Counter[str] = Counter()
    found = {request.id: request for request in read_requests(folder, Random(1), counts)["seal_tools"]}
    assert set(found) == {"s1", "s2"}
    assert counts["seal_tools: left out: nested calls"] == 1
    assert counts["seal_tools: left out: values that the query does not have"] == 1
    assert "note" not in found["s2"].uses[0].tool.parameters
    assert found["s2"].uses[0].arguments == {"boat": "Heron"}
    assert [use.tool.reads for use in found["s1"].uses] == [True, False]


def test_a_folder_without_the_sets_is_refused_with_what_was_expected(tmp_path: Path, capsys: Any) -> None:
    with pytest.raises(UsageError, match=r"slurp/train\.jsonl"):
        next(make(tmp_path))
    assert main([str(tmp_path), str(tmp_path / "out.jsonl")]) == 2
    assert "none of the public sets" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("value", "kind", "query", "expected"),
    [
        ("NEW york", TEXT, "a flight to New York", "New York"),
        ("york", TEXT, "a flight to New Yorkshire", None),
        ("5", {"type": "integer"}, "for five people", 5),
        (1.75, {"type": "number"}, "I am 1.75 m tall", 1.75),
        (15, {"type": "integer"}, "it costs 150", None),
        (True, {"type": "boolean"}, "with vibration please", True),
        (True, {"type": "boolean"}, "no such word", None),
        (["a", "b"], {"type": "array", "items": TEXT}, "from a to b", ["a", "b"]),
        ("metric", {"type": "string", "enum": ["metric", "imperial"]}, "in metric units", "metric"),
        ("imperial", {"type": "string", "enum": ["metric", "imperial"]}, "in pounds", None),
        ({"x": 1}, {"type": "object"}, "x is 1", None),
    ],
)
def test_a_value_counts_only_where_the_query_says_it(value: Any, kind: Any, query: str, expected: Any) -> None:
    assert grounded(value, kind, "vibration", query) == expected


@given(st.text(max_size=12), st.text(alphabet="ab \n.(", max_size=20))
def test_a_span_is_a_part_of_the_query(text: str, query: str) -> None:
    found = span(text, query)
    assert found is None or found in query


@given(st.integers(0, 10_000))
def test_a_dressed_tool_can_be_read_and_keeps_what_is_used(seed: int) -> None:
    rng = Random(seed)
    parameters = {"artist_name": TEXT, "song_name": TEXT, "date": TEXT, "title": TEXT}
    tool = PublicTool("play_music", False, "music", ("play music",), ("Play music.",), parameters, frozenset(), "slurp")
    dressed = dress(tool, {"song_name": "Amber"}, draw_style(rng, ()), rng)
    read = from_schema(dressed.tool)
    assert read.parameter(dressed.renamed["song_name"]) is not None
    assert len(set(dressed.renamed.values())) == len(dressed.renamed)


@pytest.mark.parametrize("way", STYLES)
def test_an_app_writes_all_its_names_in_one_way(way: str) -> None:
    tool = PublicTool(
        "x", True, "", ("get tide table",), ("Retrieve the tides, by harbour.",), {}, frozenset(), "seal_tools"
    )
    names = {str(dress(tool, {}, Style("gullnest", way), Random(seed)).tool["name"]) for seed in range(12)}
    marks = {"infix": "_gullnest_", "prefix": "gullnest_", "dotted": "gullnest."}
    assert all(marks.get(way, "") in name for name in names)
    assert all(("_" in name) != (way in ("camel", "dotted")) for name in names)


def test_a_cut_description_does_not_end_in_the_middle() -> None:
    tool = PublicTool(
        "x", True, "", ("get it",), ("Retrieve the type of rock at a specific location.",), {}, frozenset(), ""
    )
    for seed in range(40):
        assert not description(tool, Random(seed)).rstrip(".").endswith((" a", " at", " specific", " the"))


def test_what_could_serve_as_well_is_never_a_distractor() -> None:
    def known(name: str, domain: str, text: str = "") -> PublicTool:
        return PublicTool(name, False, domain, (name,), (text or name,), {}, frozenset(), "")

    assert too_near(known("a", "alarm"), known("b", "alarm"))
    assert too_near(known("a", "alarm"), known("b", "todo_add"))
    assert too_near(known("a", "todo_add"), known("create_reminder", ""))
    assert not too_near(known("a", "alarm"), known("b", "alarm_off"))
    assert too_near(known("getFilmDetails", "", "Details of a film"), known("getFilmInfo", "", "About a film"))


def test_a_chain_acts_on_what_was_found(folder: Path) -> None:
    made = [item for seed in range(6) for item in make(folder, limit=75, seed=seed)]
    items = [item for item in made if item.query.lower().startswith("find me") and item.tags[-1] != "without"]
    acting = [item for item in items if item.calls]
    assert acting
    for item in acting:
        assert isinstance(item.device, dict)
        with Device.create(None, item.device) as device:
            found = replay(item, device).turn.steps[0].observations[0].records
        assert any(value == found[0]["name"] for call in item.calls or () for value in call["arguments"].values())
        assert len(found) == 1
    assert all(item.response for item in items if not item.calls)


def test_a_chain_needs_a_short_look_up_and_its_tool() -> None:
    places = PublicTool("p", True, "places_near", ("find places",), ("Places.",), {}, frozenset(), "slurp")
    taxi = PublicTool("transport_taxi", False, "taxi", ("book taxi",), ("Taxi.",), {}, frozenset(), "slurp")
    request = PublicRequest("1", "slurp", "find me a bakery", (ToolUse(places, {}),))
    assert chained(request, {}, Random(1)) is None
    made = chained(request, {"transport_taxi": taxi}, Random(1))
    assert made is not None
    assert FoundLater("name") in made.uses[1].arguments.values()
    again = PublicRequest("2", "slurp", "find me a bakery and a tailor", (ToolUse(places, {}),))
    assert chained(again, {"transport_taxi": taxi}, Random(1)) is None


def test_the_hand_written_tables_agree_with_each_other() -> None:
    table = tables()
    domains = {
        entry[0].split()[1] for name in ("home", "assistant", "snips", "droid") for entry in table[name].values()
    }
    for group in table["near"]["groups"]:
        assert set(group) <= domains
    for hinted in table["hints"].values():
        assert set(hinted) <= domains
    for rivals in table["rivals"].values():
        assert set(rivals) <= set(BUILT_IN_APPS)
    reading = {kind.split()[1] for name in ("home", "assistant", "snips", "droid")
               for kind, _, _ in table[name].values() if kind.startswith("read")}  # fmt: skip
    assert set(table["results"]) - {"other"} <= reading
