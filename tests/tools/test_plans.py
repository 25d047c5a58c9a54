import pytest

from camphor.errors import CallSyntaxError
from camphor.tools.plans import Reference, plan_from_json, plan_to_json, references, without_repeats
from camphor.types import Call

NESTED = (
    Call("get_contact_info", {"name": "Ana", "key": "email"}),
    Call("send_email", {"to": [Reference(0)], "subject": "#1 fan", "body": "hi"}),
)


def test_a_plan_survives_json() -> None:
    assert plan_from_json(plan_to_json(NESTED)) == NESTED


def test_ids_are_renumbered_by_place() -> None:
    data = [{"id": 7, "name": "a", "arguments": {}}, {"id": 9, "name": "b", "arguments": {"x": "#7"}}]
    assert plan_from_json(data)[1].arguments == {"x": Reference(0)}


def test_a_number_that_is_no_id_stays_text() -> None:
    assert plan_from_json([{"name": "play", "arguments": {"title": "#41"}}])[0].arguments == {"title": "#41"}


def test_references_are_found_at_any_depth() -> None:
    assert list(references(Call("f", {"a": {"b": [Reference(2)]}, "c": Reference(1)}))) == [Reference(2), Reference(1)]


@pytest.mark.parametrize(
    "data", ["text", [3], [{"name": 1}], [{"name": "a", "id": "x"}], [{"name": "a", "id": 1}, {"name": "b", "id": 1}]]
)
def test_what_is_no_plan_is_refused(data: object) -> None:
    with pytest.raises(CallSyntaxError):
        plan_from_json(data)


def test_a_repeated_call_is_left_out_and_its_result_is_the_first_ones() -> None:
    plan = (
        Call("look", {"who": "Ana"}),
        Call("look", {"who": "Ana"}),
        Call("mail", {"to": [Reference(1)], "with": {"copy": Reference(0)}}),
        Call("mail", {"to": [Reference(0)], "with": {"copy": Reference(0)}}),
        Call("send", {"what": Reference(3)}),
    )
    assert without_repeats(plan) == (
        Call("look", {"who": "Ana"}),
        Call("mail", {"to": [Reference(0)], "with": {"copy": Reference(0)}}),
        Call("send", {"what": Reference(1)}),
    )
