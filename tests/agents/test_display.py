from __future__ import annotations

from datetime import datetime

from camphor.agents.display import fit_records, show_record, show_value
from camphor.device.when import show_time


def test_times_are_shown_as_people_read_them_and_the_year_only_where_it_differs() -> None:
    assert show_time(datetime(2026, 3, 12, 18, 5), 2026) == "Thu 12 Mar 18:05"
    assert show_time(datetime(2027, 1, 2, 8, 0), 2026) == "Sat 2 Jan 2027 08:00"
    assert show_value("2026-03-12", 2026) == "Thu 12 Mar"
    assert show_value("2026-13-99", 2026) == "2026-13-99"


def test_empty_fields_and_machine_numbers_are_left_out_of_a_record() -> None:
    record = {"person_id": "003", "name": "Alice Johnson", "email": "", "birthday": None, "is_self": False, "tags": []}
    assert show_record(record, 2026) == "name: Alice Johnson"


def test_an_end_on_the_day_of_the_start_is_a_clock_time() -> None:
    same = {"title": "Choir", "start": "2026-03-12T18:00:00", "end": "2026-03-12T20:00:00"}
    other = {"title": "Trip", "start": "2026-03-12T18:00:00", "end": "2026-03-14T20:00:00"}
    assert show_record(same, 2026) == "title: Choir; start: Thu 12 Mar 18:00; end: 20:00"
    assert show_record(other, 2026).endswith("end: Sat 14 Mar 20:00")


def test_nested_values_and_line_breaks_stay_on_one_line() -> None:
    assert show_value({"used_gb": 3, "per_app": {"Mail": 1.5}}, 2026) == "used_gb 3, per_app Mail 1.5"
    assert show_value("first\nsecond", 2026) == "first second"
    assert show_value(["Ana", "Rui"], 2026) == "Ana, Rui"


def test_records_that_do_not_fit_are_left_out_whole_and_counted() -> None:
    lines = ["a" * 40, "the boiler inspection " + "b" * 20, "c" * 40]
    kept, left_out = fit_records(lines, {"boiler"}, 90)
    assert 1 in kept
    assert left_out == 3 - len(kept) == 1
    assert sum(len(lines[position]) for position in kept) <= 90


def test_one_record_is_always_shown_however_long() -> None:
    assert fit_records(["x" * 500], set(), 100) == ([0], 0) or fit_records(["x" * 500, "y"], set(), 100)[0] == [0]
