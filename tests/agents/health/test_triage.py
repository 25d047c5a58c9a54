"""Triage: the rules call, the second net asks, and what an answer to its question means."""

from __future__ import annotations

from pathlib import Path

import pytest

from camphor.agents.health.suspicion import Suspicion, read_suspicion
from camphor.agents.health.triage import Verdict, confirms, triage
from camphor.errors import ModelMissing

# No line of the training data, and none that the rules find.
SUSPICIOUS = [
    "he was eating an apple and now he makes no noise and waves his arms",
    "she just slid off her chair, one side is all slack and her words are mush",
    "the lady next door sits in her chair all grey and sweaty and says nothing any more",
    "her arm went through the greenhouse, my whole apron is full of blood already",
    "a hornet got him in the mouth and his neck is getting thick",
]
HARMLESS = [
    "my knee has been swollen and stiff for two weeks",
    "I would like my moles checked, there are many on my back",
    "the new insoles press and my heel hurts in the morning",
    "I'd like to have my hearing tested, the television gets louder and louder",
    "can I have my cholesterol checked, it was a bit high last year",
]


@pytest.mark.parametrize("said", SUSPICIOUS)
def test_suspicious_words_are_asked_about(said: str) -> None:
    assert triage(said).verdict is Verdict.ASK


@pytest.mark.parametrize("said", HARMLESS)
def test_ordinary_complaints_are_not(said: str) -> None:
    assert triage(said).verdict is Verdict.NONE


def test_rules_go_first() -> None:
    found = triage("my chest hurts", "and I'm short of breath")
    assert found.verdict is Verdict.EMERGENCY
    assert [finding.flag.name for finding in found.findings] == ["chest_pain"]


@pytest.mark.parametrize("said", ["", "   ", "\x00\ud800", "?" * 5000, "aa" * 50_000])
def test_strange_text_is_no_trouble(said: str) -> None:
    assert isinstance(triage(said).verdict, Verdict)
    assert triage().verdict is Verdict.NONE


@pytest.mark.parametrize(
    "answer", ["yes", "Yes!!", "y", "I think so", "not sure", "maybe", "it's getting worse", "no pulse", "help", "now"]
)
def test_all_but_a_no_confirms(answer: str) -> None:
    assert confirms(answer)


@pytest.mark.parametrize(
    "answer",
    ["no", "No.", "nope", "nah its fine", "", "no, maybe tomorrow", "it's not an emergency", "that was years ago",
     "just an appointment please", "not now", "I'm fine, thanks"],
)  # fmt: skip
def test_a_no_does_not(answer: str) -> None:
    assert not confirms(answer)


def test_net_is_kept_whole(tmp_path: Path) -> None:
    net = read_suspicion()
    net.save(tmp_path / "net.npz")
    again = read_suspicion(tmp_path / "net.npz")
    assert isinstance(again, Suspicion)
    assert again.threshold == net.threshold
    assert [again.score(text) for text in SUSPICIOUS] == [net.score(text) for text in SUSPICIOUS]


def test_file_that_is_no_net_is_refused(tmp_path: Path) -> None:
    (tmp_path / "net.npz").write_bytes(b"PK\x03\x04")
    with pytest.raises(ModelMissing, match="second net"):
        read_suspicion(tmp_path / "net.npz")
