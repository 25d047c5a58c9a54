"""Code that nobody wrote to be called by a model: its types, its docstrings, its objects, and calls of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from camphor.errors import DefinitionError, ToolError
from camphor.tools.docstrings import read_docstring
from camphor.tools.invoke import check, invoke
from camphor.tools.listing import read_tools
from camphor.tools.tool import Parameter, Role, Tool
from camphor.types import Call

GARDEN = '''
from __future__ import annotations
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID
from pydantic import BaseModel, Field
from camphor.tools.modules import tool

if TYPE_CHECKING:
    from fractions import Fraction
    from collections.abc import Sequence
    from nowhere import Nothing


class Season(Enum):
    SPRING = 1
    AUTUMN = 2


@dataclass
class Bed:
    """A bed.

    Args:
        name: as it is called
    """

    name: str
    width: Decimal = Decimal("1.5")


class Plan(BaseModel):
    beds: list[Bed] = Field(description="which beds")
    budget: float | None = Field(None, ge=0)


def water(bed: str, how_long: timedelta = timedelta(minutes=5), at: time | None = None) -> str:
    """Water a bed.

    Parameters
    ----------
    bed : str
        The bed's name.
    how_long, at
        Its length, and when.

    Returns
    -------
    done : str
        What was done.
    """
    return f"{bed} {how_long.total_seconds():.0f} {at}"


def plant(plan: Plan, season: Season, names: set[str], where: Path, seed: UUID | None = None) -> list:
    """:param plan: the plan
    :param names: of plants
    """
    return [plan, season, names, where, seed]


def undocumented_thing(count=3, *rest, flag: bool = False, **more):
    return count


def of_checkers(names: Sequence[str], part: Fraction | None = None, odd: Nothing | None = None) -> int:
    "Count names."
    return len(names)


def placed(first: int, second: int = 2, /) -> int:
    """Add."""
    return first + second


def cannot(stream: Nothing) -> None:
    """Cannot be read."""


class Gardener:
    """Gardens."""

    def __init__(self, name: str) -> None:
        self.name = name

    def rake(self, day: date) -> str:
        """Rake.

        Args:
            day: which
        """
        return f"{self.name} rakes on {day:%A}"

    def _rest(self) -> None: ...


class Idle:
    def wait(self) -> None: ...


@tool(reads=True)
def beds() -> list[str]:
    """The beds."""
    return ["rose"]


gardener = Gardener("Ana")
'''


@pytest.fixture
def garden(tmp_path: Path) -> tuple[dict[str, Tool], list[str]]:
    path, left = tmp_path / "garden.py", list[str]()
    path.write_text(GARDEN, encoding="utf-8")
    return {each.name: each for each in read_tools(path, left_out=left)}, left


def called(tool: Tool, **arguments: Any) -> Any:
    return invoke(tool, check(tool, Call(tool.name, arguments)).arguments)


def test_what_can_be_read_is_and_the_rest_is_told_with_its_reason(garden: tuple[dict[str, Tool], list[str]]) -> None:
    tools, left = garden
    assert list(tools) == [
        "beds", "water", "plant", "undocumented_thing", "of_checkers", "placed", "gardener.rake",
    ]  # fmt: skip
    assert len(left) == 2
    assert "class Idle: wait and its other methods need an object: write  idle = Idle(...)" in left[0]
    assert "line 80: cannot: parameter stream: type Nothing cannot be read" in left[1]


def test_types_and_docstrings_of_any_style_say_what_parameters_are(garden: tuple[dict[str, Tool], list[str]]) -> None:
    tools, _ = garden
    assert tools["water"].parameters == (
        Parameter("bed", description="The bed's name."),
        Parameter("how_long", description="Its length, and when.", required=False, role=Role.DURATION),
        Parameter("at", description="Its length, and when.", required=False, role=Role.CLOCK),
    )
    assert tools["water"].result == Parameter("result", description="What was done.")
    plan, season, names, where, seed = tools["plant"].parameters
    bed, budget = plan.fields
    assert (plan.type, bed.items, bed.description) == ("object", "object", "which beds")
    assert bed.fields[0] == Parameter("name", description="as it is called")
    assert bed.fields[1].type == "number|string"
    assert (budget.required, budget.minimum) == (False, 0)
    assert season.enum == (1, 2)
    assert (names.type, names.items, names.description) == ("array", "string", "of plants")
    assert (where.type, seed.required) == ("string", False)
    thing = tools["undocumented_thing"]
    assert thing.description == "Undocumented thing."
    assert [(each.name, each.type) for each in thing.parameters] == [("count", "integer"), ("flag", "boolean")]
    names, part = tools["of_checkers"].parameters
    assert (names.type, part.name) == ("array", "part")


def test_values_become_what_the_types_say(garden: tuple[dict[str, Tool], list[str]]) -> None:
    tools, _ = garden
    assert called(tools["water"], bed="rose", how_long="1 hours 30 minutes", at="07:15") == "rose 5400 07:15:00"
    beds = [{"name": "rose", "width": 2}]
    made = called(tools["plant"], plan={"beds": beds, "budget": 3}, season=2, names=["a", "a"], where="x/y")
    assert made == [{"beds": [{"name": "rose", "width": "2"}], "budget": 3.0}, 2, ["a"], "x/y", None]
    assert called(tools["placed"], first=1) == 3
    assert called(tools["undocumented_thing"]) == 3
    assert called(tools["gardener.rake"], day="2026-03-12") == "Ana rakes on Thursday"
    assert called(tools["beds"]) == ["rose"]
    with pytest.raises(ToolError, match=r"water failed: ValueError: .*duration"):
        invoke(tools["water"], {"bed": "rose", "how_long": "long"})


def test_nothing_is_guessed_by_a_name(tmp_path: Path) -> None:
    path = tmp_path / "board.py"
    path.write_text(
        "def move(person: str, start: str, when: str, phone: str) -> None:\n"
        '    """Move.\n\n    Args:\n        when: date and time in ISO 8601.\n    """\n',
        encoding="utf-8",
    )
    (move,) = read_tools(path)
    assert [each.role for each in move.parameters] == [Role.TEXT, Role.TEXT, Role.TIME, Role.TEXT]


def test_a_file_of_an_installed_package_is_read_with_its_own_imports() -> None:
    import dateutil.parser as installed

    assert next(tool.name for tool in read_tools(Path(installed.__file__))) == "parse"


@pytest.mark.parametrize("name", ["textwrap", "shutil", "statistics", "colorsys", "urllib/parse", "email/utils"])
def test_modules_of_the_standard_library_are_read(name: str) -> None:
    left: list[str] = []
    tools = read_tools(Path(sys.modules["os"].__file__ or "").parent / f"{name}.py", left_out=left)
    assert len(tools) >= 5
    assert not [line for line in left if "class" not in line]


def test_a_module_of_which_nothing_can_be_read_says_why(tmp_path: Path) -> None:
    path = tmp_path / "idle.py"
    path.write_text("class Idle:\n    def wait(self) -> None: ...\n", encoding="utf-8")
    with pytest.raises(DefinitionError, match=r"class Idle: wait and .*write  idle = Idle\(\.\.\.\)"):
        read_tools(path)


def test_a_long_docstring_is_cut_at_a_sentence() -> None:
    told = read_docstring("It does. " + "And so on and on. " * 60).description
    assert len(told) <= 600
    assert told.endswith("on.")


def test_reading_the_built_in_apps_needs_no_pydantic() -> None:
    code = "import sys; from camphor.device.apps import BUILT_IN_APPS, tools_of; [tools_of(a) for a in BUILT_IN_APPS]"
    code += "; print('pydantic' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.split() == ["False"]


def module(tmp_path: Path, text: str, name: str = "code.py") -> tuple[Tool, ...]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_tools(path)


def test_what_a_file_says_later_is_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "planted.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n", encoding="utf-8")
    code = "def f(a: str, b: 'Nope' = None) -> str:\n    return a\n"
    (f,) = module(tmp_path, code)
    (tmp_path / "code.py").write_text(
        f"from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import planted\n{code}", encoding="utf-8"
    )
    assert called(f, a="x") == "x"
    assert not (tmp_path / "ran").exists()


def test_imports_for_type_checkers_may_fail_print_or_exit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "leaves.py").write_text("print('loud')\nimport sys\nsys.exit(0)\n", encoding="utf-8")
    (f,) = module(
        tmp_path,
        "from __future__ import annotations\nimport typing\n"
        "if typing.TYPE_CHECKING:\n    from leaves import Leaf\n    from datetime import date\n"
        "def f(day: date, leaf: Leaf | None = None, odd: os.nope = 1, odder: callable | None = None) -> int:\n"
        "    return day.year\n",
    )
    assert [each.name for each in f.parameters] == ["day"]
    assert f.parameters[0].role is Role.DATE
    assert called(f, day="2026-03-12") == 2026
    assert capsys.readouterr().out == ""


def test_types_of_older_code_and_odd_ones_cost_no_more_than_their_parameter(tmp_path: Path) -> None:
    f, g, h = module(
        tmp_path,
        "from typing import Annotated, Dict, List, Optional, TypedDict\nfrom pydantic import Field\n"
        "class Tree(TypedDict):\n    name: str\n    children: 'list[Tree]'\n"
        "def f(a: List, b: Optional[Dict] = None, c: 'List[Tree]' = ()) -> List: ...\n"
        "def g(a: str, b: Annotated[str, Field(pattern='(?=x)a')] = '') -> Dict: ...\n"
        "def h(tree: Tree) -> None: ...\n",
    )
    assert [(each.name, each.type) for each in f.parameters] == [("a", "array"), ("b", "object"), ("c", "array")]
    assert [each.name for each in g.parameters] == ["a"]
    assert h.parameters[0].fields[1].items == "object"


@pytest.mark.parametrize(
    ("hint", "value", "made"),
    [
        ("timedelta | None", "5 minutes", "0:05:00"),
        ("list[timedelta]", ["1 hour", "90 seconds"], ["1:00:00", "0:01:30"]),
        ("date | None", "2026-03-12T08:00:00", "2026-03-12"),
        ("Slot", {"day": "2026-03-12T08:00:00", "long": "2 hours"}, {"day": "2026-03-12", "long": "2:00:00"}),
        ("time", "7:15", "07:15:00"),
        ("bytes", "aGk=", "aGk="),
        ("range", [1], None),
    ],
)
def test_values_in_any_place_become_what_their_types_say(tmp_path: Path, hint: str, value: Any, made: Any) -> None:
    head = "from dataclasses import dataclass\nfrom datetime import date, time, timedelta\n"
    slot = "@dataclass\nclass Slot:\n    day: date\n    long: timedelta\n"
    text = f"{head}{slot}def f(value: {hint}):\n    return value\n"
    if made is None:
        with pytest.raises(DefinitionError, match="type range cannot be read"):
            module(tmp_path, text)
        return
    (f,) = module(tmp_path, text)
    assert called(f, value=value) == made


@pytest.mark.parametrize("digits", ["2026", "20260312", "0"])
def test_digits_are_no_moment(tmp_path: Path, digits: str) -> None:
    (f,) = module(tmp_path, "from datetime import datetime\ndef f(at: datetime | None = None) -> None: ...\n")
    with pytest.raises(ToolError, match="no date-time in ISO 8601"):
        invoke(f, {"at": digits})


def test_results_keep_their_form(tmp_path: Path) -> None:
    (f,) = module(
        tmp_path,
        "from types import MappingProxyType\ndef f():\n"
        "    return [range(2), {'a': 1}.keys(), MappingProxyType({'b': {2}}), float('nan'), b'x', object]\n",
    )
    assert called(f)[:5] == [[0, 1], ["a"], {"b": [2]}, "nan", "x"]


def test_a_folder_tells_of_each_file_what_is_its_own(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("from io import BytesIO\ndef bad(s: BytesIO): ...\ndef good(): ...\n", "utf-8")
    (tmp_path / "b.py").write_text("X = 1\n", "utf-8")
    with pytest.raises(DefinitionError, match=r"b\.py: defines no public function: there is nothing to call"):
        read_tools(tmp_path)
