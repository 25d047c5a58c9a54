"""What a model thinks is parted from what it says, wherever a piece of the text ends."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from camphor.models.reasoning import Thoughts, likely_thinks, without_marks

CASES = {
    "It ended in 1945.": ("It ended in 1945.", ""),
    "<think>a war</think>\n\nIn 1945.": ("In 1945.", "a war"),
    "  <thinking>a\n<b> war</thinking> In 1945.": ("In 1945.", "a\n<b> war"),
    "<THINK>x</Think>y": ("y", "x"),
    "[THINK]x[/THINK]y": ("y", "x"),
    "<think></think>\n\nHello": ("Hello", ""),
    "<think>no end": ("", "no end"),
    "no beginning</think>the answer": ("the answer", "no beginning"),
    "one <think>two</think> three <think>four</think> five": ("one  three  five", "twofour"),
    "<think>a <think>b</think> c</think> d": ("d", "a bc"),
    "a < b, <thin air> and <think": ("a < b, <thin air> and <think", ""),
    "The tag `<think>` opens thoughts, '</think>' ends them.": (
        "The tag `<think>` opens thoughts, '</think>' ends them.",
        "",
    ),
    'He said "no"</think>\n"Yes"': ('"Yes"', 'He said "no"'),
    "<think>it's `</think>`, isn't it</think>Yes": ("Yes", "it's `</think>`, isn't it"),
    '<think>quoted "': ("", 'quoted "'),
    "[thing] and [/THING]": ("[thing] and [/THING]", ""),
}


def fed(text: str, cuts: list[int], **how: bool) -> tuple[Thoughts, str]:
    parting, places = Thoughts(**how), sorted({0, *(cut for cut in cuts if cut < len(text)), len(text)})
    shown = "".join(parting.feed(text[a:b]) for a, b in pairwise(places))
    return parting, shown + parting.finish(cut=False)


@pytest.mark.parametrize("text", CASES)
def test_in_one_piece_and_letter_by_letter(text: str) -> None:
    for cuts in ([], list(range(len(text)))):
        parting, shown = fed(text, cuts)
        assert (parting.said, parting.thought) == CASES[text]
        if not parting.unopened:  # of thoughts that nothing opens some letters are shown before that can be known
            assert shown == parting.said


@given(st.sampled_from(sorted(CASES)), st.lists(st.integers(1, 80), max_size=8), st.booleans())
def test_wherever_it_is_cut(text: str, cuts: list[int], hold: bool) -> None:
    parting, shown = fed(text, cuts, hold=hold)
    assert (parting.said, parting.thought) == CASES[text]
    if not hold and not parting.unopened:
        assert shown == parting.said


@given(st.lists(st.sampled_from(["<think>", "</think>", "<", "th", "`", '"', " x", "\n", "é"]), max_size=12), st.data())
def test_nothing_is_lost_and_no_cut_matters(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = data.draw(st.lists(st.integers(1, 60), max_size=6))
    whole, _ = fed(text, [])
    cut, _ = fed(text, cuts)
    assert (cut.said, cut.thought) == (whole.said, whole.thought)
    for letter in "xé":
        assert (whole.said + whole.thought).count(letter) == text.count(letter)


def test_a_model_known_to_begin_with_thoughts_says_nothing_before_they_end() -> None:
    parting = Thoughts(hold=True)
    assert [parting.feed(piece) for piece in ("Okay, ", "the war", "</th", "ink>", "\nIn ", "1945.")] == [
        "",
        "",
        "",
        "",
        "In ",
        "1945.",
    ]
    parting = Thoughts(hold=True)
    assert parting.feed("Okay, the war") == ""
    assert parting.finish(cut=True) == ""  # max_tokens came before the end of the thoughts
    assert parting.thought == "Okay, the war"
    parting = Thoughts(hold=True)
    assert parting.feed("In 1945.") + parting.finish(cut=False) == "In 1945."  # it did not think this time
    parting = Thoughts(hold=True)
    parting.release()
    assert parting.feed("In 1945.") == "In 1945."


@pytest.mark.parametrize("name", ["deepseek-r1:14b", "DeepSeek-R1-Distill-Qwen-7B", "QwQ-32B", "Qwen3-Thinking"])
def test_names_of_models_that_think(name: str) -> None:
    assert likely_thinks(name)


@pytest.mark.parametrize("name", ["qwen3:8b", "gpt-4o", "llama-3.1-8b", "unthinkable", "kr1", "r10", ""])
def test_names_of_others(name: str) -> None:
    assert not likely_thinks(name)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<|channel|>final<|message|>Today at 15:40.<|return|>", "Today at 15:40."),
        ("<|im_start|>system\nYou are a phone.<|im_end|>\n<|im_start|>assistant\nIt is not there.", "It is not there."),
        ("Friday.<|eot_id|><|start_header_id|>user<|end_header_id|>", "Friday."),
        ("What does <|> mean?", "What does <|> mean?"),
        ("<|endoftext|>", ""),
    ],
)
def test_marks_of_a_template_are_no_part_of_the_answer(text: str, said: str) -> None:
    assert without_marks(text) == said
