"""Styles and frames: values stay whole, ends and openers do not pile up, gold has the words that were said."""

from __future__ import annotations

import re
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from camphor_lab.datasets.bank import Bank
from camphor_lab.datasets.compose import in_words_of
from camphor_lab.datasets.joins import join, wrap
from camphor_lab.datasets.style import STYLES, as_said, restyle
from camphor_lab.datasets.wishes import GoldAct

SEEDS = st.integers(0, 9999)
POST = "Vote today, then the cake"


def post() -> GoldAct:
    return GoldAct("create_instagram_post", {"content": POST}, {"content": POST})


@given(st.sampled_from(STYLES), SEEDS)
def test_a_value_is_found_again_in_every_style(style: str, seed: int) -> None:
    query = restyle(f"post '{POST}' for me", style, Random(seed), [POST])
    assert as_said(POST, style).lower() in query.lower()
    content = in_words_of(query, style, post(), (), ()).human["content"]
    assert content.lower() in query.lower()


def test_gold_takes_what_was_said_and_what_was_meant() -> None:
    act = in_words_of("post vote today then the cake", "dictated", post(), (), ())
    assert act.human["content"] == "Vote today then the cake"
    assert act.gold["content"] == {"any_of": ["Vote today then the cake", POST]}
    kept = GoldAct("play_music", {"title": "Paper Lanterns"}, {"title": "Paper Lanterns"})
    assert in_words_of("play paper lanterns", "lower", kept, {"Paper Lanterns"}, ()) == kept
    note = GoldAct("create_notes", {"content": "Ask Ana on Friday if I may"}, {"content": "Ask Ana on Friday if I may"})
    assert in_words_of("note ask ana on friday if i may", "lower", note, (), {"Ana"}) == note


@given(st.sampled_from(STYLES), SEEDS)
def test_a_question_keeps_its_mark_or_drops_it(style: str, seed: int) -> None:
    said = restyle("Could you ring Ana?", style, Random(seed), ["Ana"])
    assert re.search(r"\?|^[^.]*$", said)


@given(st.sampled_from(STYLES), SEEDS)
def test_openers_and_polite_words_stand_once(style: str, seed: int) -> None:
    said = restyle("hey, please ring Ana", style, Random(seed), ["Ana"]).lower()
    assert said.count("pl") <= 1
    assert len(re.findall(r"\b(hey|hi|ok|um|uh|yo|hello|sorry)\b", said)) <= 1


@given(st.sampled_from(("train", "test")), SEEDS)
def test_one_frame_at_a_time(split: str, seed: int) -> None:
    rng, bank = Random(seed), Bank(split)
    said = wrap(bank, rng, "let me know when it rains", "let me know {tell}")
    assert "let's" not in said
    assert "you should" not in said
    assert wrap(bank, rng, "if I have data left, get Tiler", "") in ("if I have data left, get Tiler", *tails(bank))
    joined = join(bank, rng, ["ring Ana", "text Bo"], ["ring {person}", "text {person}"], clause=True)
    assert not re.search(r"(you|please|to|and) (both|two things|first)\b", joined)
    assert "ring Ana" in joined
    assert "text Bo" in joined


def tails(bank: Bank) -> list[str]:
    lines = [line for line in bank.lines("joins", "wrappers") if line.startswith("{a}")]
    return [line.replace("{a}", "if I have data left, get Tiler") for line in lines]
