from datetime import datetime
from pathlib import Path

import pytest

from camphor.errors import DatasetError
from camphor.tools.plans import Reference
from camphor.trajectories.call_samples import CallSample, read_call_samples, write_call_samples
from camphor.types import Call

SAMPLE = CallSample(
    "s-1",
    "mail Ana that I'm late",
    (Call("get_contact_info", {"name": "Ana"}), Call("send_email", {"to": [Reference(0)]})),
    datetime(2026, 3, 12, 8, 45),
    {"1.body": "I'm late"},
    ("complex",),
)


def test_samples_survive_a_file(tmp_path: Path) -> None:
    file = tmp_path / "new" / "samples.jsonl"
    assert write_call_samples(file, [SAMPLE]) == 1
    assert list(read_call_samples(file)) == [SAMPLE]


@pytest.mark.parametrize(
    "line", ["{", '{"query": "x"}', '{"query": "", "answers": []}', '{"query": "x", "answers": 3}']
)
def test_a_line_that_breaks_the_format_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "samples.jsonl"
    file.write_text('{"query": "hi", "answers": []}\n' + line + "\n")
    with pytest.raises(DatasetError, match="line 2"):
        list(read_call_samples(file))
