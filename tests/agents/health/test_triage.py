"""Triage: three levels and a question; what an answer changes, and what it cannot."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from camphor.agents.health.red_flags import RaisedFlag, flags
from camphor.agents.health.suspicion import LANGUAGES, read_suspicion
from camphor.agents.health.triage import Triage, Urgency, answered, highest, is_no, triage
from camphor.errors import ModelMissing

WORDS = files("camphor") / "agents" / "health" / "triage.toml"
# No line of the training data.
URGENT = [
    "he was eating an apple and now he makes no noise and waves his arms",
    "her arm went through the greenhouse, my whole apron is full of blood already",
    "a hornet got him in the mouth and his neck is getting thick",
    "se le cae la comida de la boca y no levanta el brazo desde hace un rato",
    "er liegt im Flur, schnarcht komisch und macht die Augen nicht auf",
    "depuis midi j'ai comme une barre sur la poitrine et je transpire",
    "o peito aperta e o braço esquerdo está dormente",
]
NEVER_ROUTINE = [
    "she is five weeks old with 38.6, otherwise happy",
    "my five-week-old has a temperature of 38.6",
    "bebé de cinco semanas, 38,6, mama bien",
    "one testicle has been hurting badly since noon and it is swollen",
    "my back is bad and I feel nothing when I wipe",
    "Rückenschmerzen und zwischen den Beinen ist es taub",
    "I took my heart tablets twice by mistake this morning",
]
HARMLESS = [
    "my knee is stiff when I get up and clicks on the stairs",
    "I would like my moles checked, there are many on my back",
    "the new insoles press and my heel hurts in the morning",
    "I'd like to have my hearing tested, the television gets louder and louder",
    "quisiera una cita para la revisión de la vista",
    "ich hätte gern einen Termin zur Vorsorge",
]


@pytest.mark.parametrize("said", URGENT)
def test_urgent_words_are_found_or_asked_about(said: str) -> None:
    assert triage(said).verdict is not Urgency.ROUTINE


@pytest.mark.parametrize("said", NEVER_ROUTINE)
def test_what_is_never_a_slot_in_four_days(said: str) -> None:
    found = triage(said)
    assert found.verdict is not Urgency.ROUTINE
    assert found.findings


@pytest.mark.parametrize("said", HARMLESS)
def test_ordinary_complaints_are_routine(said: str) -> None:
    assert triage(said) == Triage(Urgency.ROUTINE, language=triage(said).language)


@pytest.mark.parametrize(
    ("said", "language"),
    [(URGENT[0], "en"), (URGENT[3], "es"), (URGENT[4], "de"), (URGENT[5], "fr"), (URGENT[6], "pt"), ("", "en")],
)
def test_language_of_the_words(said: str, language: str) -> None:
    assert triage(said).language == language


@pytest.mark.parametrize("language", sorted({*LANGUAGES} - {"en"}))
def test_titles_and_questions_stand_in_the_language_of_the_words(language: str) -> None:
    words = tomllib.loads(WORDS.read_text(encoding="utf-8"))[language]
    assert set(words) == set(flags())
    assert all(set(each) == {"title", "question"} for each in words.values())
    said = {"es": URGENT[3], "de": URGENT[4], "fr": URGENT[5], "pt": URGENT[6]}[language]
    found = triage(said).findings[0].flag
    assert {"title": found.title, "question": found.question} == words[found.name]


@pytest.mark.parametrize(
    "said",
    ["I want to kill myself", "no, I am not safe, I cut myself yesterday", "je veux en finir", "quiero morirme",
     "ich bringe mich um, ich will nicht mehr leben", "não quero mais viver"],
)  # fmt: skip
def test_crisis_line_is_shown_after_any_sign_of_self_harm(said: str) -> None:
    assert "crisis" in triage(said).lines
    assert "crisis" in triage(said, "forget it", "my knee hurts", "can I have Tuesday?").lines


@pytest.mark.parametrize(
    "said",
    ["I took twice as many heart tablets by mistake", "the toddler swallowed some of my pills", "mi hija bebió lejía"],
)
def test_poison_line_is_shown_after_an_accident(said: str) -> None:
    assert "poison" in triage(said).lines


def test_signs_add_up_over_messages() -> None:
    assert triage("my shoulder is stiff", "it is my chest too, tight, and I sweat").verdict is not Urgency.ROUTINE


@pytest.mark.parametrize("said", ["", "   ", "\x00\ud800", "?" * 5000, "aa" * 50_000])
def test_strange_text_is_no_trouble(said: str) -> None:
    assert isinstance(triage(said).verdict, Urgency)
    assert triage().verdict is Urgency.ROUTINE


def asked(stands: Urgency = Urgency.ROUTINE, lines: tuple[str, ...] = (), kind: str = "other") -> Triage:
    flag = flags()[kind]
    return Triage(Urgency.ASK, (RaisedFlag(flag),), flag.question, stands, lines)


@pytest.mark.parametrize("answer", ["yes", "Yes!!", "y", "not sure", "maybe", "it's getting worse", "help", "no idea"])
def test_all_but_a_no_is_urgent(answer: str) -> None:
    assert answered(asked(), answer, "something is odd").verdict in (Urgency.TODAY, Urgency.NOW)


@pytest.mark.parametrize(
    "answer", ["no, not yet, maybe tonight", "not now, later", "no todavía, esta noche", "noch nicht"]
)
def test_what_is_put_off_is_not_over(answer: str) -> None:
    found = answered(asked(Urgency.TODAY, ("crisis",), "self_harm"), answer, "I can't do this any more")
    assert found.verdict in (Urgency.TODAY, Urgency.NOW)
    assert found.lines == ("crisis",)


@pytest.mark.parametrize(
    "answer", ["no", "No.", "nope", "nein", "", "it's not an emergency", "that was years ago", "I'm fine"]
)
def test_a_no_leaves_what_stands(answer: str) -> None:
    assert is_no(answer)
    assert answered(asked(), answer, "my knee is stiff").verdict is Urgency.ROUTINE
    assert answered(asked(Urgency.TODAY), answer, "my knee is stiff").verdict is Urgency.TODAY
    assert answered(asked(lines=("crisis",)), answer, "my knee is stiff").lines == ("crisis",)


def test_no_with_an_emergency_in_it_is_none() -> None:
    answer = "no but now she does not wake up and her lips are blue"
    assert answered(asked(), answer, "she is tired").verdict is Urgency.NOW


def test_levels_only_rise() -> None:
    assert highest(Urgency.ROUTINE, Urgency.NOW, Urgency.TODAY) is Urgency.NOW
    assert highest(Urgency.ASK, Urgency.ROUTINE) is Urgency.ROUTINE


def test_net_is_kept_whole(tmp_path: Path) -> None:
    net = read_suspicion()
    assert set(net.bars) == set(LANGUAGES)
    net.save(tmp_path / "net.npz")
    again = read_suspicion(tmp_path / "net.npz")
    assert again.bars == net.bars
    assert again.read(URGENT) == net.read(URGENT)
    assert again.meaning is not None
    assert again.share == net.share > 0
    assert np.array_equal(again.weights, net.weights)


def test_a_message_as_a_whole_counts() -> None:
    net = read_suspicion()
    words = replace(net, meaning=None)
    told, alone = net.read(URGENT), words.read(URGENT)
    assert [each.kinds for each in told] == [each.kinds for each in alone] == [net.kinds(text) for text in URGENT]
    assert all(one.urgent > other.urgent for one, other in zip(told, alone, strict=True))
    harmless = zip(net.read(HARMLESS), words.read(HARMLESS), strict=True)
    assert all(one.urgent < other.urgent for one, other in harmless)


def test_file_that_is_no_net_is_refused(tmp_path: Path) -> None:
    (tmp_path / "net.npz").write_bytes(b"PK\x03\x04")
    with pytest.raises(ModelMissing, match="net for emergencies"):
        read_suspicion(tmp_path / "net.npz")
