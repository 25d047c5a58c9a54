"""`camphor call`: plans shown, agreed to, made and recorded."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from camphor.agents.calling.prompts import CallForm
from camphor.cli.model import Mind, tell_unknown_functions
from camphor.device.android.toolbox import android_toolbox
from camphor.models import ScriptedModel
from camphor.models.llama import shipped_adapter
from camphor.tools.listing import read_tools
from camphor.tools.tool import Toolbox
from tests.doubles.command import Camphor, one_line
from tests.doubles.terminal import Terminal

ROOT = Path(__file__).parents[2]
Script = Callable[[Sequence[str]], str]
Start = Callable[..., Terminal]

CODE = (
    'result0 = get_contact_info(name="mum", key="phone")\n'
    "result1 = dial(phone_number=result0)\n"
    'result2 = ACTION_SET_TIMER(duration="10 minutes", EXTRA_MESSAGE="Tea")'
)
QUERY = "ring mum, and tea in 10 minutes"
QUESTION = "Do it? yes, no or edit: "
GARDEN = '''"""Functions of a garden."""

from pathlib import Path

READS = ("beds",)
LOG = Path(__file__).with_name("log.txt")


def beds(kind: str) -> list[str]:
    """Names of beds.

    Args:
        kind: what grows there.

    Returns:
        list[str]: their names.
    """
    return [f"{kind} 1", f"{kind} 2"]


def water(names: list[str], litres: int = 1) -> str:
    """Water some beds.

    Args:
        names: of the beds.
        litres: for each.

    Returns:
        str: what was done.
    """
    LOG.write_text(f"{names} {litres}")
    return f"{litres} on {', '.join(names)}"
'''


@pytest.fixture
def garden(tmp_path: Path) -> Path:
    path = tmp_path / "garden.py"
    path.write_text(GARDEN)
    return path


def journal(camphor: Camphor) -> list[dict[str, object]]:
    """The actions that were done on the Android demo phone."""
    ran = camphor("device", "show", "signe-bergen", "--journal", "--json")
    return [entry["call"] for entry in json.loads(ran.out) if entry["state"] == "done"]


def test_without_a_terminal_nothing_is_done(camphor: Camphor, script: Script) -> None:
    ran = camphor("call", QUERY, "--model", script([CODE]), "--form", "compact")
    assert ran.status == 1
    assert "Nothing was done: 2 actions must be confirmed: run this in a terminal, or add --yes" in ran.err
    assert ran.out.splitlines()[0].endswith("+47 555 01 102")  # the look-up
    assert journal(camphor) == []


def test_yes_does_all_and_json_tells_it(camphor: Camphor, script: Script) -> None:
    ran = camphor("call", QUERY, "--model", script([CODE]), "--form", "compact", "--yes", "--am", "--json")
    assert ran.status == 0, ran.err
    told = json.loads(ran.out)
    assert told["query"] == QUERY
    assert [each["outcome"] for each in told["plan"]] == ["done", "done", "done"]
    assert told["plan"][1]["arguments"] == {"phone_number": "#0"}
    assert told["plan"][1]["made_as"] == {"phone_number": "+47 555 01 102"}
    assert told["plan"][1]["am"] == "am start -W -a android.intent.action.DIAL -d tel:+4755501102"
    assert sorted(str(each["name"]) for each in journal(camphor)) == ["ACTION_SET_TIMER", "dial"]


def test_a_dry_run_shows_the_calls_and_makes_none(camphor: Camphor, script: Script) -> None:
    ran = camphor("call", QUERY, "--model", script([CODE]), "--form", "compact", "--dry-run", "--am")
    assert ran.status == 0, ran.err
    lines = ran.out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == CODE.splitlines()
    assert sum("am start" in line for line in lines) == 1  # what mum's number is, nobody knows yet
    assert journal(camphor) == []


def test_each_action_is_asked_for_and_what_was_said_recorded(
    camphor: Camphor, script: Script, terminal: Start, tmp_path: Path
) -> None:
    out = tmp_path / "taught.jsonl"
    shown = terminal("call", QUERY, "--model", script([CODE]), "--form", "compact", "--record", str(out))
    shown.wait_for(QUESTION)
    assert journal(camphor) == []
    shown.type("edit\n")
    shown.wait_for("duration [10 minutes]: ")
    shown.type("12 minutes\n")
    for left in ("EXTRA_MESSAGE [Tea]: ", "EXTRA_SKIP_UI"):
        shown.wait_for(left)
        shown.type("\n")
    shown.wait_for(QUESTION, 2)
    shown.type("y\n")
    shown.wait_for("+47 555 01 102 (result0)")
    shown.wait_for(QUESTION, 3)
    shown.type("y\n")
    assert shown.end() == 0
    assert [str(each["name"]) for each in journal(camphor)] == ["ACTION_SET_TIMER", "dial"]
    line = json.loads(out.read_text())
    assert (line["verdict"], line["query"]) == ("corrected", QUERY)
    assert line["corrected"][2]["arguments"] == {"duration": "12 minutes", "EXTRA_MESSAGE": "Tea"}
    assert line["corrected"][:2] == line["predicted"][:2]


def test_a_no_leaves_out_what_needs_it_too(camphor: Camphor, script: Script, terminal: Start, tmp_path: Path) -> None:
    code = 'a = ACTION_IMAGE_CAPTURE()\nsend_email(to=["x@example.org"], subject="s", body="b", attachments=[a])'
    out = tmp_path / "taught.jsonl"
    shown = terminal("call", "mail a photo", "--model", script([code]), "--form", "compact", "--record", str(out))
    shown.wait_for(QUESTION)
    shown.type("no\n")
    assert shown.end() == 1
    assert "was not called" in shown.text
    assert journal(camphor) == []
    assert json.loads(out.read_text())["verdict"] == "no"


def test_ctrl_c_at_the_question(camphor: Camphor, script: Script, terminal: Start) -> None:
    shown = terminal("call", QUERY, "--model", script([CODE]), "--form", "compact")
    shown.wait_for(QUESTION)
    shown.interrupt()
    assert shown.end() == 130
    assert shown.text.splitlines()[-1] == "camphor: Stopped: nothing was done."
    assert journal(camphor) == []


def test_python_functions_are_called_with_consent(
    camphor: Camphor, script: Script, terminal: Start, garden: Path
) -> None:
    code = 'found = beds(kind="rose")\nwater(names=found, litres=2)'
    shown = terminal("call", "water roses", "--tools", str(garden), "--model", script([code]), "--form", "compact")
    shown.wait_for(QUESTION)
    assert 'Water some beds (names: ["rose 1", "rose 2"] (result0), litres: 2)' in shown.text
    assert not garden.with_name("log.txt").exists()
    shown.type("e\n")
    shown.wait_for("names [")
    shown.type('["rose 2"]\n')
    shown.wait_for("litres [2]: ")
    shown.type("many\n")
    shown.wait_for("! water(litres='many'): expected a whole number")
    shown.wait_for("names [", 2)
    shown.type("\n")
    shown.wait_for("litres [many]: ")
    shown.type("3\n")
    shown.wait_for(QUESTION, 2)
    shown.type("y\n")
    assert shown.end() == 0
    assert garden.with_name("log.txt").read_text() == "['rose 2'] 3"
    assert "→ 3 on rose 2" in shown.text


def test_a_function_that_raises_is_told(camphor: Camphor, script: Script, tmp_path: Path) -> None:
    module = tmp_path / "bad.py"
    module.write_text('def burst() -> None:\n    """Burst."""\n    raise ValueError("a pipe")\n')
    model = script(["burst()"])
    ran = camphor("call", "burst it", "--tools", str(module), "--model", model, "--form", "compact", "--yes")
    assert ran.status == 1
    assert ran.out == "Not done: burst failed: ValueError: a pipe\n"


@pytest.mark.parametrize(
    ("reply", "said"), [("I would rather talk", "no call"), ("cook()", "cook"), ("dial()", "phone_number")]
)
def test_an_answer_that_is_no_plan_is_status_1(camphor: Camphor, script: Script, reply: str, said: str) -> None:
    ran = camphor("call", "x", "--model", script([reply]), "--form", "compact", "--yes")
    assert (ran.status, ran.out) == (1, "")
    assert said in one_line(ran.err)


def test_no_function_fits(camphor: Camphor, script: Script) -> None:
    ran = camphor("call", "hello", "--model", script(["# none"]), "--form", "compact", "--yes")
    assert (ran.status, ran.out) == (1, "No function does this.\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([" "], "empty"),
        (["x", "--form", "poem"], "poem"),
        (["x", "--tools", "missing.py"], "missing.py"),
        (["x", "--tools", "a.py", "--device", "b"], "--device"),
        (["x", "--device", "nobody"], "nobody"),
        (["x", "--device", "ines-dublin"], "no functions"),
        (["x", "--record", "no/folder/a.jsonl"], "no/folder"),
        (["x", "--model", "nonsense"], "nonsense"),
        (["x", "--top", "-1"], "--top"),
    ],
)
def test_bad_input_is_one_line_and_status_2(camphor: Camphor, words: list[str], said: str) -> None:
    ran = camphor("call", *words)
    assert (ran.status, ran.out) == (2, "")
    assert said in one_line(ran.err)


def test_definitions_alone_can_only_be_tried(camphor: Camphor, script: Script, garden: Path, tmp_path: Path) -> None:
    tools = tmp_path / "tools.json"
    assert camphor("tools", "extract", str(garden), "--out", str(tools)).status == 0
    words = ["call", "x", "--tools", str(tools), "--model", script(['beds(kind="a")']), "--form", "compact"]
    ran = camphor(*words)
    assert (ran.status, ran.out) == (2, "")
    assert "--dry-run" in one_line(ran.err)
    assert camphor(*words, "--dry-run").out == 'result0 = beds(kind="a")\n'


def test_functions_that_the_shipped_adapter_never_saw_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    shipped = shipped_adapter("functions")
    assert shipped
    android, garden = android_toolbox(), Toolbox(read_tools(ROOT / "examples" / "garden" / "garden.py"))
    for adapter, toolbox, told in (
        (shipped.name, android, False),
        (shipped.name, garden, True),
        ("mine.gguf", garden, False),
        ("", garden, False),
    ):
        tell_unknown_functions(Mind(ScriptedModel([]), CallForm.COMPACT, "embedded", adapter), toolbox)
        out, err = capsys.readouterr()
        assert (out, "never saw these functions" in err) == ("", told)
