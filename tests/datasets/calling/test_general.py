import json
from pathlib import Path

import pytest

from camphor.errors import DatasetError, UsageError
from camphor.trajectories.call_samples import read_call_samples
from camphor_lab.datasets.calling.general import collect

PORT = {"type": "object", "properties": {"port": {"type": "string"}}, "required": ["port"]}


def line(query: str, calls: list[object], description: str = "Tides.") -> str:
    tools = [{"name": "get_tide", "description": description, "parameters": PORT}]
    return json.dumps({"id": query, "query": query, "tools": tools, "calls": calls})


def call(**arguments: object) -> dict[str, object]:
    return {"name": "get_tide", "arguments": arguments}


def test_lines_that_hold_become_samples_with_one_list_of_tools(tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl"
    lines = [
        line("tide in Nazaré", [call(port="Nazaré")]),
        line("tide where", [call(where="x")]),  # no such parameter
        line("other tide", [call(port="Faro")], "Another tool of that name."),
        line("result of a result", [call(port="$var1.name$")]),
        line("nothing to call", []),
    ]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    count, refused = collect([file], tmp_path / "out")
    assert count == 1
    assert refused.total() == 4
    assert [each.query for each in read_call_samples(tmp_path / "out" / "train.jsonl")] == ["tide in Nazaré"]
    assert [each["name"] for each in json.loads((tmp_path / "out" / "tools.json").read_text())] == ["get_tide"]


def test_count_chooses_by_the_seed(tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl"
    file.write_text("\n".join(line(f"tide {n}", [call(port=f"p{n}")]) for n in range(9)))
    assert collect([file], tmp_path / "a", 3, seed=1)[0] == 3
    collect([file], tmp_path / "b", 3, seed=1)
    assert (tmp_path / "a" / "train.jsonl").read_text() == (tmp_path / "b" / "train.jsonl").read_text()


@pytest.mark.parametrize(("text", "error"), [("{", DatasetError), ("[3]", DatasetError), ("", UsageError)])
def test_files_that_are_none(tmp_path: Path, text: str, error: type[Exception]) -> None:
    file = tmp_path / "set.jsonl"
    file.write_text(text)
    with pytest.raises(error):
        collect([file], tmp_path / "out")
