"""Examples in plain text: what is read, what is refused with its line, and what is made of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from camphor.errors import DatasetError, UsageError
from camphor.tools.listing import read_tools
from camphor.tools.plans import Reference
from camphor.tools.readers import from_schema
from camphor.types import Call
from camphor_lab.datasets.calling.examples import read_examples, varied

GARDEN = Path(__file__).parents[3] / "examples/garden"
TOOLS = read_tools(GARDEN / "garden.py")
REMIND = from_schema(
    {
        "name": "remind",
        "parameters": {
            "type": "object",
            "properties": {
                "what": {"type": "string"},
                "at": {"type": "string", "format": "date-time"},
                "times": {"type": "integer", "minimum": 1, "maximum": 3},
            },
            "required": ["what"],
        },
    }
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "requests.txt"


def test_requests_with_one_meaning_share_their_calls(file: Path) -> None:
    file.write_text(
        "# of a garden\n\nwater bed 3 for ten minutes\nbed 3 needs  ten minutes\n"
        '    water_bed(bed="bed 3", minutes=10)\n\nlovely weather\n\tnone\n'
        "find the basil and water its bed for 5 minutes\n"
        '  water_bed(bed=find_plant(plant="basil"), minutes=5)\n',
        encoding="utf-8",
    )
    samples = read_examples(file, TOOLS)
    water = (Call("water_bed", {"bed": "bed 3", "minutes": 10}),)
    assert [(sample.query, sample.answers) for sample in samples] == [
        ("water bed 3 for ten minutes", water),
        ("bed 3 needs ten minutes", water),
        ("lovely weather", ()),
        (
            "find the basil and water its bed for 5 minutes",
            (Call("find_plant", {"plant": "basil"}), Call("water_bed", {"bed": Reference(0), "minutes": 5})),
        ),
    ]
    assert len({sample.id for sample in samples}) == 4
    assert [sample.tags for sample in samples] == [("simple",), ("simple",), ("none",), ("several",)]


def test_a_time_stands_in_the_words_of_the_request(file: Path) -> None:
    file.write_text('remind me tomorrow at nine to ring Ana\n  remind(what="ring Ana", at="tomorrow at nine")\n')
    (sample,) = read_examples(file, [REMIND])
    assert sample.said == {"0.at": "tomorrow at nine"}
    assert sample.answers == (Call("remind", {"what": "ring Ana", "at": "2026-01-16T09:00:00"}),)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("    none\n", "line 1: calls without a request"),
        ("water it\n", "'water it' has no calls"),
        ('water it\n  water_bed(bed="it")\n', r"line 2: 'water it': water_bed\(minutes="),
        ("water it\n  water(bed=1)\n", "line 2: .*no tool water"),
        ('water bed 3 for 5 minutes\n  water_bed(bed="bed 4", minutes=5)\n', "line 2: .*not all words.*'bed 4'"),
        ("water it\n  water_bed(\n", "line 2: 'water it': "),
        ("# nothing\n", "holds no example"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(file: Path, text: str, told: str) -> None:
    file.write_text(text, encoding="utf-8")
    with pytest.raises((DatasetError, UsageError), match=told):
        read_examples(file, TOOLS)


def test_a_file_that_is_not_there_or_no_text(file: Path) -> None:
    with pytest.raises(DatasetError, match="cannot be read"):
        read_examples(file, TOOLS)
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DatasetError, match="UTF-8"):
        read_examples(file, TOOLS)


def test_many_are_made_of_a_few_and_each_can_be_written() -> None:
    written = read_examples(GARDEN / "requests.txt", TOOLS)
    made = varied(written, TOOLS, 400, seed=1)
    assert made == varied(written, TOOLS, 400, seed=1)
    assert made[: len(written)] == written
    assert len(made) == 400
    assert len({sample.query.casefold() for sample in made}) == len({sample.id for sample in made}) == 400
    new = made[len(written) :]
    assert any(len(sample.answers) == 2 for sample in new)
    said = {
        value
        for sample in written
        for call in sample.answers
        for value in call.arguments.values()
        if isinstance(value, str)
    }
    for sample in new:
        for call in sample.answers:
            for name, value in call.arguments.items():
                if isinstance(value, str) and name != "vents":
                    assert value in said
                    assert value.casefold() in sample.query.casefold()
                elif isinstance(value, int):
                    assert value > 0


def test_numbers_stay_within_their_bounds(file: Path) -> None:
    file.write_text('tell me 2 times to stretch\n  remind(what="stretch", times=2)\n')
    made = varied(read_examples(file, [REMIND]), [REMIND], 50, seed=3)
    assert {sample.answers[0].arguments["times"] for sample in made} <= {1, 2, 3}
