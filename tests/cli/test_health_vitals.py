"""`camphor health vitals`, `import`, `check` and `watch`, as a person meets them."""

from __future__ import annotations

import json
from pathlib import Path

from tests.doubles.command import Camphor, one_line

TABLE = "time;heart rate;spo2\n" + "".join(
    f"2026-05-17T08:{minute:02d};61;{97 if minute < 30 else 88}\n" for minute in range(60)
)


def test_a_table_is_taken_in_once_shown_and_checked(camphor: Camphor, tmp_path: Path) -> None:
    path = tmp_path / "night.csv"
    path.write_text(TABLE, encoding="utf-8")
    assert camphor("health", "import", str(path)).out == "Took in 120 new readings of 120\n"
    assert camphor("health", "import", str(path)).out.startswith("Took in 0 new readings of 120")
    shown = json.loads(camphor("health", "vitals", "--day", "2026-05-17", "--json").out)
    assert [(row["kind"], row["readings"]) for row in shown["vitals"]] == [("heart_rate", 60), ("oxygen", 60)]
    assert shown["alarms"] == []
    found = json.loads(camphor("health", "check", "--day", "2026-05-17", "--json").out)
    assert [(each["rule"], each["level"], each["begin"]) for each in found["abnormal"]] == [
        ("low_oxygen_urgent", "urgent", "2026-05-17T08:30:00")
    ]
    told = camphor("health", "check", "--day", "2026-05-17").out
    assert "Your blood oxygen has been low: 88% for 29 minutes (NHS England" in told
    assert "This is no diagnosis" in told


def test_a_simulated_day_tells_an_emergency_once_and_the_faults_of_the_watch(camphor: Camphor) -> None:
    done = camphor("health", "watch", "--scene", "hypoxia@03:00+40", "--scene", "zeros@12:00+60", "--every", "20")
    assert done.status == 0
    assert done.out.count("Your blood oxygen has been low") == 1
    assert "told 1 time\n" in done.out
    assert "of your heart rate cannot be true (0) and count for nothing" in done.out
    assert "This is no diagnosis" in done.out


def test_a_unit_is_chosen_once_and_a_file_in_another_does_not_change_it(camphor: Camphor, tmp_path: Path) -> None:
    path = tmp_path / "sugar.csv"
    path.write_text("time,glucose (mg/dL)\n2026-05-17T08:00,99\n", encoding="utf-8")
    assert camphor("health", "units", "glucose", "mmol").out == "From now on glucose is told in mmol/L\n"
    camphor("health", "import", str(path))
    told = camphor("health", "vitals", "--day", "2026-05-17").out
    assert "5.5 mmol/L" in told
    assert "mg/dL" not in told
    assert json.loads(camphor("health", "units", "--json").out) == {
        "glucose": "mmol/L",
        "temperature": "°C",
        "weight": "kg",
    }
    for words, said in ((("steps", "km"), "name one of glucose"), (("glucose", "stone"), "choose from mg/dL, mmol/L")):
        done = camphor("health", "units", *words)
        assert (done.status, said in one_line(done.err)) == (2, True)


def test_a_demo_phone_is_given_weeks_that_say_that_they_are_made_up(camphor: Camphor) -> None:
    assert "3 weeks of simulated readings" in camphor("health", "demo").out
    assert "unchanged" in camphor("health", "demo").out
    told = camphor("health", "report", "2026-05-16").out
    assert "Simulated readings: made up for a demonstration" in told
    assert "Your blood oxygen has been low" in told
    assert "2 of 2 doses taken" in told


def test_bad_input_is_one_line_that_says_what_to_do(camphor: Camphor, tmp_path: Path) -> None:
    cat = tmp_path / "cat.jpg"
    cat.write_bytes(b"\xff\xd8\xff\xe0\x00\x10JFIF")
    dates = tmp_path / "dates.csv"
    dates.write_text("date,pulse\n03/04/2026,61\n", encoding="utf-8")
    for words, said in (
        (("import", str(cat)), "no kind of file that is read here"),
        (("import", str(tmp_path / "none.xml")), "There is no file"),
        (("import", str(dates)), "add --day-first or --month-first"),
        (("watch", "--scene", "earthquake@12:00"), "is no scene: write NAME@HH:MM+MINUTES with one of tachycardia"),
        (("watch", "--scene", "fever@25:00"), "is no scene"),
        (("check", "--day", "someday"), "'someday' is no day"),
    ):
        done = camphor("health", *words)
        assert done.status == 2
        assert said in one_line(done.err)


def test_where_there_is_nothing_it_says_how_to_begin(camphor: Camphor) -> None:
    for command in ("vitals", "check"):
        assert "camphor health import FILE" in camphor("health", command).out


def test_a_reading_is_typed_and_one_that_is_urgent_says_so_at_once(camphor: Camphor) -> None:
    told = camphor("health", "vitals", "add", "142/91", "pulse", "68", "--at", "08:30").out
    assert "08:30" in told
    assert "upper blood pressure 142 mmHg, lower blood pressure 91 mmHg, heart rate 68 bpm" in told
    assert "call your emergency number" not in told
    assert "142 mmHg" in camphor("health", "vitals").out
    told = camphor("health", "vitals", "add", "195/124").out
    assert "measure again" in told
    assert "call your emergency number" in told
    done = camphor("health", "vitals", "add", "142/910")
    assert (done.status, "nothing was kept" in one_line(done.err)) == (2, True)
