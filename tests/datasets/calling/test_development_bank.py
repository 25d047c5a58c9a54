"""The development set of function calling: its bank can be read, and it shares no request with the test."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from camphor.device.android.toolbox import android_toolbox
from camphor.tools import plans
from camphor.tools.listing import read_tools, to_schema
from camphor.tools.tool import Toolbox
from camphor.trajectories.call_samples import CallSample, read_call_samples
from camphor_lab.datasets.calling.bank import CallBank, read_bank
from camphor_lab.datasets.similarity import Similar, tokens

DATA = Path(__file__).parents[3] / "data"
DEVELOPMENT, TEST = DATA / "droidcall-development", DATA / "droidcall-test"
OF_MANY_ARGUMENTS = {
    "ACTION_SET_ALARM",
    "ACTION_SET_TIMER",
    "ACTION_INSERT_EVENT",
    "ACTION_INSERT_CONTACT",
    "ACTION_EDIT_CONTACT",
    "ACTION_OPEN_DOCUMENT",
    "send_email",
    "send_message",
}


@pytest.fixture(scope="module")
def toolbox() -> Toolbox:
    return android_toolbox()


@pytest.fixture(scope="module")
def bank(toolbox: Toolbox) -> CallBank:
    return read_bank(DEVELOPMENT / "bank", "test", toolbox)


@pytest.fixture(scope="module")
def samples() -> list[CallSample]:
    return list(read_call_samples(DEVELOPMENT / "test.jsonl"))


def test_the_bank_has_many_wordings_of_every_function(bank: CallBank, toolbox: Toolbox) -> None:
    alone = [phrase for phrase in bank.phrases if len(phrase.calls) == 1]
    wordings = Counter({tool.name: 0 for tool in toolbox})
    for phrase in alone:
        wordings[phrase.calls[0].name] += len(phrase.texts)
    assert min(wordings.values()) >= 8
    assert {name for name in OF_MANY_ARGUMENTS if wordings[name] < 20} == set()
    assert any(phrase.nested for phrase in bank.phrases)
    assert any(len(phrase.calls) > 1 and not phrase.nested for phrase in bank.phrases)


def test_no_wording_is_written_twice(bank: CallBank) -> None:
    written = Counter(text for phrase in bank.phrases for text in phrase.texts)
    assert [text for text, count in written.items() if count > 1] == []


def test_every_list_of_values_is_long_enough(bank: CallBank) -> None:
    short = {name: len(entries) for name, entries in bank.values.items() if len(entries) < 15}
    assert set(short) <= {"tail"}


def test_the_samples_are_calls_that_the_functions_take(samples: list[CallSample], toolbox: Toolbox) -> None:
    assert len(samples) == 200
    for sample in samples:
        assert plans.check(sample.answers, toolbox) == sample.answers, sample.id
    assert {call.name for sample in samples for call in sample.answers} == {tool.name for tool in toolbox}


def test_the_functions_beside_them_are_androids(toolbox: Toolbox) -> None:
    there = {tool.name: tool for tool in read_tools(DEVELOPMENT / "tools.json")}
    assert there.keys() == {tool.name for tool in toolbox}
    for tool in toolbox:
        shown = to_schema(there[tool.name])
        assert shown["parameters"]["required"] == to_schema(tool)["parameters"]["required"], tool.name


def test_no_request_is_one_of_the_test(samples: list[CallSample]) -> None:
    test = [sample.query for sample in read_call_samples(TEST / "test.jsonl")]
    known = {tuple(tokens(query)) for query in test}
    assert [sample.id for sample in samples if tuple(tokens(sample.query)) in known] == []
    near = Similar(included=True)
    for query in test:
        near.add(query)
    # what is alike by ROUGE-L would be dropped, were both made in one run
    assert [sample.id for sample in samples if near.alike(sample.query)] == []
