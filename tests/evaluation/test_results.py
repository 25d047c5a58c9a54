from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from camphor.errors import UsageError
from camphor.types import Agent, Call, Observation, Step
from camphor_lab.evaluation.results import Configuration, Partial, Result, read_report, write_report

ROOT = Path(__file__).parents[2]
CONFIGURATION = Configuration("abc", "a model", "camphor", "0.1.0")
CALL = Call("send_message", {"receiver": "1", "content": "Grüße"})
RESULT = Result(
    id="t-1",
    query="Say hello\n to Jo",
    predicted=(CALL,),
    gold=(Call("send_message", {"content": {"any_of": ["a", "b"]}}),),
    steps=(Step(Agent.CONTEXT, (Call("find", {"keyword": "Jo"}),), (Observation(Call("find"), ({"name": "Jo"},)),)),),
    response="Done.",
    seconds=1.5,
    error=None,
    timing={"prompt_tokens": 12},
    tags=("single",),
    turn=2,
)


def test_a_result_survives_json() -> None:
    assert Result.from_json(json.loads(json.dumps(RESULT.to_json()))) == RESULT
    failed = replace(RESULT, error="ModelError: no", predicted=(), steps=())
    assert Result.from_json(failed.to_json()) == failed


def test_the_contract_keys_are_there() -> None:
    assert {"id", "predicted", "gold", "steps", "seconds", "error"} <= RESULT.to_json().keys()


def test_a_partial_file_gives_back_what_was_recorded(tmp_path: Path) -> None:
    out = tmp_path / "r.json"
    with Partial(out, CONFIGURATION) as partial:
        partial.append(RESULT)
    with Partial(out, CONFIGURATION) as partial:
        assert partial.done == {"t-1": RESULT}
        partial.append(replace(RESULT, id="t-2"))
    with Partial(out, CONFIGURATION) as partial:
        assert list(partial.done) == ["t-1", "t-2"]
        partial.remove()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kept", [1, 20, -1, -30])
def test_a_line_cut_off_by_a_crash_is_dropped(tmp_path: Path, kept: int) -> None:
    out = tmp_path / "r.json"
    with Partial(out, CONFIGURATION) as partial:
        partial.append(RESULT)
        whole = partial.path.stat().st_size
        partial.append(replace(RESULT, id="t-2"))
        path = partial.path
    content = path.read_bytes()
    path.write_bytes(content[: whole + kept] if kept > 0 else content[:kept])
    with Partial(out, CONFIGURATION) as partial:
        assert list(partial.done) == ["t-1"]
        partial.append(replace(RESULT, id="t-3"))
    with Partial(out, CONFIGURATION) as partial:
        assert list(partial.done) == ["t-1", "t-3"]


@pytest.mark.parametrize(
    "other",
    [
        replace(CONFIGURATION, dataset="abd"),
        replace(CONFIGURATION, model="another"),
        replace(CONFIGURATION, strategy="react"),
        replace(CONFIGURATION, version="0.2.0"),
        replace(CONFIGURATION, settings={"adapter": "f00"}),
    ],
)
def test_another_configuration_neither_reads_nor_loses_the_records(tmp_path: Path, other: Configuration) -> None:
    out = tmp_path / "r.json"
    with Partial(out, CONFIGURATION) as partial:
        partial.append(RESULT)
    with Partial(out, other) as partial:
        assert not partial.done
        partial.remove()
    with Partial(out, CONFIGURATION) as partial:
        assert list(partial.done) == ["t-1"]


def test_a_folder_that_is_not_there_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="choose another --out"):
        Partial(tmp_path / "missing" / "r.json", CONFIGURATION)


FULL_DISK = """
import resource, sys
from dataclasses import replace
from pathlib import Path
import pytest
from camphor.errors import UsageError
from camphor_lab.evaluation.results import Partial, write_report
from tests.evaluation.test_results import CONFIGURATION, RESULT

out = Path(sys.argv[1])
with Partial(out, CONFIGURATION) as partial:
    partial.append(RESULT)
    # no file may grow beyond so many bytes, as on a full disk
    resource.setrlimit(resource.RLIMIT_FSIZE, (partial.path.stat().st_size + 100,) * 2)
    with pytest.raises(UsageError, match="1 queries are kept"):
        partial.append(replace(RESULT, id="t-2"))
    with pytest.raises(UsageError, match="cannot be written"):
        write_report(out, {"metrics": {}, "items": ["x" * 10_000]})
"""


def test_a_full_disk_keeps_what_was_recorded(tmp_path: Path) -> None:
    out = tmp_path / "r.json"
    write_report(out, {"metrics": {"plan_f1": 0.5}, "items": []})
    # in a process of its own: the limit would also stop pytest from writing its output to a file
    arguments = [sys.executable, "-c", FULL_DISK, str(out)]
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert read_report(out)["metrics"]["plan_f1"] == 0.5
    with Partial(out, CONFIGURATION) as partial:
        assert list(partial.done) == ["t-1"]


def test_any_text_can_be_recorded(tmp_path: Path) -> None:
    odd = replace(RESULT, response="half a pair \ud83d, a line\u2028break, \x00")
    with Partial(tmp_path / "r.json", CONFIGURATION) as partial:
        partial.append(odd)
        path = partial.path
    with Partial(tmp_path / "r.json", CONFIGURATION) as partial:
        assert partial.done["t-1"] == odd
    assert len(path.read_bytes().splitlines()) == 1
    write_report(tmp_path / "r.json", {"metrics": {}, "items": [odd.to_json()]})
    read_report(tmp_path / "r.json")


def test_a_report_is_written_whole_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    write_report(path, {"metrics": {"plan_f1": 0.5}, "items": []})
    write_report(path, {"metrics": {"plan_f1": 0.6}, "items": []})
    assert read_report(path)["metrics"]["plan_f1"] == 0.6
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"items": []}', '{"metrics": {}, "items": 3}'])
def test_what_is_no_report_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "r.json"
    path.write_text(text)
    with pytest.raises(UsageError, match="camphor lab evaluate"):
        read_report(path)
    with pytest.raises(UsageError, match="camphor lab evaluate"):
        read_report(tmp_path / "none.json")
