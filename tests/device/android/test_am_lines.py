"""Every one of the 24 functions as a command line that Android's documented `am start` reads as the same intent."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camphor.device.android.adb import am_start
from camphor.device.android.intent import ContactQuery, Intent, Uri
from camphor.errors import ToolError
from tests.doubles.am_syntax import read_am
from tests.doubles.intents import GOLDEN, asked


def kinds(intent: Intent) -> dict[str, type]:
    """The types of extras: `Long` and `Uri` equal what they are made of, and are not the same to Android."""
    return {name: type(value) for name, value in intent.extras.items()}


def several_files(intent: Intent) -> bool:
    """Whether files are attached that am has no option for; test_adb.py says how that is told."""
    return any(isinstance(each, Uri) for value in intent.extras.values() if isinstance(value, tuple) for each in value)


@pytest.mark.parametrize(("name", "arguments"), [(name, arguments) for name, arguments, _ in GOLDEN])
def test_a_line_is_read_as_the_intent(name: str, arguments: dict[str, Any]) -> None:
    intent = asked(name, **arguments)
    if isinstance(intent, ContactQuery) or several_files(intent):
        return
    read = read_am(am_start(intent))
    assert read == intent
    assert kinds(read) == kinds(intent)


texts = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=40)
hostile = texts | st.sampled_from(
    ['"; reboot #', "$(id)", "`id`", "a\nb", "'", "--ez x true", "👩‍👩‍👧 %s", "\\", "\\'", "*"]
)


@given(body=hostile, title=hostile, to=st.lists(hostile, min_size=1, max_size=3))
def test_any_text_stays_one_value(body: str, title: str, to: list[str]) -> None:
    intent = Intent("a.b.C", "data:" + title, extras={"text": body, "title": title, "to": tuple(to)})
    if any(each.endswith("\\") for each in to[:-1]):
        with pytest.raises(ToolError, match="backslash"):
            am_start(intent)
    else:
        assert read_am(am_start(intent)) == intent


@pytest.mark.parametrize("line", ["am start -W --exec ls", "am start -W --ei n x", "am start -W -a", "am kill -W x"])
def test_the_reader_refuses_what_android_would(line: str) -> None:
    with pytest.raises((ValueError, KeyError, StopIteration)):
        read_am(line)


def test_a_line_ends_where_adb_would_cut_it() -> None:
    with pytest.raises(ToolError, match="shorten"):
        am_start(Intent("a.b.C", extras={"text": "é" * 20_000}))
