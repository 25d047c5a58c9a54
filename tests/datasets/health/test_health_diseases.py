"""The diseases and the patients' words: whole, apart between splits, and free of emergencies."""

from __future__ import annotations

from pathlib import Path

import pytest

from camphor.agents.health.case import SPECIALISTS
from camphor.agents.health.triage import Urgency, triage
from camphor.device.health.slots import read_hours
from camphor.errors import DatasetError
from camphor_lab.datasets.health.diseases import SPLITS, read_diseases
from camphor_lab.datasets.health.scripts import schedule_of, words

ONE = """
[[disease]]
name = "Hay fever"
specialist = "{specialist}"
dietician = false
source = "a test"
symptoms = ["sneezing", "itchy eyes"]
complaints = ["I sneeze all day.", "My eyes itch in the garden."]
vague = ["I feel off."]
questions = [["Do you sneeze?", "All the time."]]
similar = []
"""


def folder_of(tmp_path: Path, text: str, mentions: str) -> tuple[Path, Path]:
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "one.toml").write_text(text, encoding="utf-8")
    (tmp_path / "mentions.toml").write_text(mentions, encoding="utf-8")
    return tmp_path / "some", tmp_path / "mentions.toml"


def test_all_of_the_papers_diseases_are_described() -> None:
    diseases = read_diseases()
    assert len({disease.name for disease in diseases}) == 153
    assert {disease.specialist for disease in diseases} <= set(SPECIALISTS)
    for disease in diseases:
        assert "https://" in disease.source, disease.name
        assert disease.cleared, disease.name
        assert len(disease.vague) >= 3, disease.name
        assert len(disease.questions) >= 3, disease.name
        assert len(disease.complaints["train"]) >= 4, disease.name


def test_no_complaint_is_in_two_splits() -> None:
    said = [(split, each.text) for disease in read_diseases() for split in SPLITS for each in disease.complaints[split]]
    assert len({text.lower() for _, text in said}) == len(said)
    assert {split for split, _ in said} == set(SPLITS)


def test_questions_of_a_disease_are_asked_in_one_split() -> None:
    asked = {split: {d.name for d in read_diseases() if d.asked_in == split} for split in SPLITS}
    assert min(map(len, asked.values())) >= 10
    assert sum(map(len, asked.values())) == 153


def test_few_patients_of_an_appointment_raise_an_alarm() -> None:
    """Some of their complaints do sound urgent, such as a swollen testicle; a call for help is rare."""
    alarms = count = 0
    for disease in read_diseases():
        told = [each.text for split in SPLITS for each in disease.complaints[split]]
        told += [*disease.vague, *(answer for _, answer in disease.questions)]
        some = told[::3]  # of 153 diseases: reading all takes a minute and a half
        count += len(some)
        alarms += sum(triage(text).verdict is Urgency.NOW for text in some)
    assert alarms <= 0.05 * count


def test_patients_of_two_splits_have_no_wording_in_common() -> None:
    fewest = {"train": 20, "development": 5, "test": 8}
    for table, lines in words().items():
        said = [line.lower() for split in SPLITS for line in lines[split]]
        assert len(set(said)) == len(said), table
        assert all(len(lines[split]) >= fewest[split] for split in SPLITS), table
    for table in ("accept", "decline", "other_time", "lead", "tail", "diet"):
        assert len(words()[table]["train"]) >= 40, table
        assert len(words()[table]["test"]) >= 15, table


def test_every_wish_names_hours() -> None:
    for table in ("other_time", "other_day"):
        for lines in words()[table].values():
            for line in lines:
                wish = line.split("[")[1].split("]")[0]
                assert read_hours(schedule_of(wish[0].lower() + wish[1:])["time_range"]), line


def test_a_wish_that_names_no_time_is_refused() -> None:
    with pytest.raises(ValueError, match="names no time"):
        schedule_of("whenever it suits")


def test_symptoms_of_complaints_are_those_read(tmp_path: Path) -> None:
    folder, mentions = folder_of(
        tmp_path, ONE.format(specialist="ent specialist"), '"Hay fever" = { complaints = ["0", "1"], answers = "0 1" }'
    )
    (disease,) = read_diseases(folder, mentions)
    found = {each.text: each.symptoms for split in SPLITS for each in disease.complaints[split]}
    assert found == {"I sneeze all day.": ("sneezing",), "My eyes itch in the garden.": ("itchy eyes",)}
    assert disease.cleared == ("sneezing", "itchy eyes")


@pytest.mark.parametrize(
    ("specialist", "mentions", "problem"),
    [
        ("wizard", "", "none of those known"),
        ("dentist", '"Hay fever" = { complaints = ["0"], answers = "" }', "expected 2"),
        ("dentist", '"Hay fever" = { complaints = ["0", "7"], answers = "" }', "Hay fever"),
        ("dentist", "broken", "not TOML"),
    ],
)
def test_a_broken_description_is_refused(tmp_path: Path, specialist: str, mentions: str, problem: str) -> None:
    folder, file = folder_of(tmp_path, ONE.format(specialist=specialist), mentions)
    with pytest.raises(DatasetError, match=problem):
        read_diseases(folder, file)


def test_a_folder_without_diseases_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mentions.toml").touch()
    with pytest.raises(DatasetError, match="no disease"):
        read_diseases(tmp_path / "none", tmp_path / "mentions.toml")
