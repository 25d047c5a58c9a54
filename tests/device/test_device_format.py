"""Device files: nothing is lost, and every fault is pointed at."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from camphor.device.device import Device
from camphor.errors import DeviceFileError
from tests.doubles.device import phone

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(
    lambda key: (
        key
        not in {"events", "format", "id", "owner", "now", "timezone", "location", "screen", "activity", "web", "apps"}
    )
)
RECORDS = st.lists(st.dictionaries(KEYS, JSON_VALUES, max_size=4), max_size=4)


@settings(max_examples=60, deadline=None)
@given(
    extra=st.dictionaries(KEYS, JSON_VALUES, max_size=3),
    calendar=st.dictionaries(KEYS | st.just("events"), RECORDS, max_size=3),
    unknown=st.dictionaries(KEYS, JSON_VALUES, max_size=3),
    own=st.dictionaries(KEYS, RECORDS, max_size=2),
)
def test_import_and_export_lose_nothing(extra: Any, calendar: Any, unknown: Any, own: Any) -> None:
    data = {**extra, **phone()}
    data["apps"]["calendar"] = {**unknown, **calendar}
    data["apps"]["spotify"]["records"] = own
    with Device.create(None, data) as made:
        # as text, so that the order of keys counts too
        assert json.dumps(made.export()) == json.dumps(data)


def test_a_stored_device_exports_what_was_imported(tmp_path: Path) -> None:
    source = tmp_path / "a.device.json"
    source.write_text("\ufeff" + json.dumps(phone()), encoding="utf-8")
    Device.from_file(source, tmp_path / "a.db").close()
    with Device.open(tmp_path / "a.db") as made:
        assert json.dumps(made.export()) == json.dumps(phone())
    assert not list(tmp_path.glob("*.part"))


def put(*keys: str | int, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(data: Any) -> None:
        for key in keys[:-1]:
            data = data[key]
        data[keys[-1]] = value

    return change


TOOL = {"name": "t", "kind": "context", "returns": "x", "description": "d"}


@pytest.mark.parametrize(
    ("change", "pointer", "expected"),
    [
        (put("format", value="camphor.device/9"), "/format", "camphor.device/1"),
        (put("id", value=3), "/id", "text"),
        (put("now", value="yesterday"), "/now", "ISO 8601"),
        (put("timezone", value="Mars/Olympus"), "/timezone", "Europe/Dublin"),
        (put("timezone", value="/etc/localtime"), "/timezone", "Europe/Dublin"),
        (put("location", value=[]), "/location", "object"),
        (put("activity", value="a"), "/activity", "list"),
        (put("activity", value=[1]), "/activity/0", "text"),
        (put("web", value=[{"result": "x"}]), "/web/0/query", "search"),
        (put("web", value=[{"query": "x"}]), "/web/0/result", "answers"),
        (put("apps", value=[]), "/apps", "object"),
        (put("apps", "calendar", value=[]), "/apps/calendar", "object"),
        (put("apps", "calendar", "events", value={}), "/apps/calendar/events", "list"),
        (put("apps", "calendar", "events", value=[{}, "x"]), "/apps/calendar/events/1", "record"),
        (put("apps", "amazon", "account", value=[]), "/apps/amazon/account", "object"),
        (put("apps", "whats/app", value={"messages": []}), "/apps/whats~1app/tools", "not built in"),
        (put("apps", "spotify", "records", value=[]), "/apps/spotify/records", "object"),
        (put("apps", "spotify", "tools", 0, "kind", value="both"), "/apps/spotify/tools/0/kind", "'action'"),
        (put("apps", "spotify", "tools", 0, "returns", value=None), "/apps/spotify/tools/0/returns", "list"),
        (put("apps", "spotify", "tools", 1, "name", value="no name!"), "/apps/spotify/tools/1", "no name!"),
        (put("apps", "spotify", "tools", value=[TOOL, TOOL]), "/apps/spotify/tools/1/name", "no other"),
        (put("apps", "spotify", "tools", 0, "name", value="get_intent"), "/apps/spotify/tools/0/name", "no other"),
        (put("apps", "spotify", "tools", 0, "name", value="get_notes_content"), "/apps/spotify/tools/0/name",
         "no other"),
        (put("x", value=[float("nan")]), "/x/0", "finite"),
        (put("x", value={"\ud800": 1}), "/x", "Unicode"),
    ],
)  # fmt: skip
def test_faults_are_pointed_at(change: Callable[[Any], None], pointer: str, expected: str) -> None:
    data = phone()
    change(data)
    with pytest.raises(DeviceFileError) as caught:
        Device.create(None, data, "a.device.json")
    assert (caught.value.path, caught.value.pointer) == ("a.device.json", pointer)
    assert expected in caught.value.expected
    assert caught.value.exit_status == 2


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "JSON"),
        (b"[]", "object"),
        (b'{"format": ', "line 1"),
        (b'{"id": "a", "id": "b"}', "'id' stands twice"),
        (b'{"id": NaN}', "NaN"),
        (b'{"id": "\xff"}', "UTF-8"),
        (b"[" * 100_000, "JSON"),
        (b'{"format": "camphor.device/1", "id": "a", "apps": {}, "x": ' + b"[" * 70 + b"]" * 70 + b"}", "nested"),
    ],
)
def test_broken_files_are_refused_in_one_sentence(tmp_path: Path, content: bytes, expected: str) -> None:
    source = tmp_path / "broken.device.json"
    source.write_bytes(content)
    with pytest.raises(DeviceFileError, match=expected) as caught:
        Device.from_file(source)
    assert str(source) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_file_and_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DeviceFileError, match="no such file"):
        Device.from_file(tmp_path / "none.json")
    with pytest.raises(DeviceFileError, match="readable"):
        Device.from_file(tmp_path)
    with pytest.raises(DeviceFileError, match="no such file"):
        Device.open(tmp_path / "none.db")


def test_a_bare_device_has_the_general_tools_only() -> None:
    with Device.create(None, {"format": "camphor.device/1", "id": "bare", "apps": {}}) as made:
        assert [tool.name for tool in made.toolbox] == [
            "get_screen_information", "get_location_information", "get_time_information", "get_intent", "search_safari",
            "calculate", "convert_units", "days_between", "shift_date",
        ]  # fmt: skip
        assert (made.owner, made.location, made.people()) == ("", {}, [])
