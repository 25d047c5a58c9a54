"""The list of policies: its order, its switches, whom each is for, and that one of a stranger's own can join it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import pytest

from camphor.agents.bounds import SWITCHES, USUAL
from camphor.agents.orchestrator import orchestrate
from camphor.agents.policies import POLICIES, Finding, Policy, Question, Revised, Situation, known_names, revise
from camphor.agents.policies.base import at_once
from camphor.agents.prompts import Form, Setting
from camphor.agents.wants import Act, Rank, Think, Unnamed
from camphor.tools.tool import Kind, Parameter, Tool, Toolbox
from camphor.types import Agent, Call, Observation, Step, Turn

PLAY = Tool("play_music", "Play a song.", (Parameter("song"),), Kind.ACTION, Agent.TASK, "music")
NOW = datetime(2026, 3, 12, 8, 45)
WISH = (Call("play_music", {"song": "Red"}),)


def setting(form: Form = Form.NAMES) -> Setting:
    return Setting(Toolbox((PLAY,)), NOW, "Dublin", frozenset(("music",)), form)


def outcome(policies: Sequence[Policy], off: Sequence[str] = (), form: Form = Form.NAMES, *history: Turn) -> Revised:
    situation = Situation(Turn("play Red"), history, setting(form))
    loop = revise(WISH, situation, policies, off)
    with pytest.raises(StopIteration) as ended:
        next(loop)
    told: Revised = ended.value.value
    return told


def asking(name: str, **kind: bool) -> Policy:
    return Policy(name, at_once(lambda situation, calls: Question(f"{name}?")), **kind)


def test_each_has_a_name_of_its_own_and_the_switches_are_apart() -> None:
    assert len(set(known_names())) == len(known_names()) == len(POLICIES) + len(SWITCHES)


def test_the_first_question_ends_it() -> None:
    assert outcome((asking("one"), asking("two"))) == Question("one?")


def test_what_is_switched_off_is_left_out() -> None:
    assert outcome((asking("one"), asking("two")), ["one"]) == Question("two?")
    assert outcome((asking("one"), asking("two")), ["one", "two"]) == WISH


def test_calls_go_from_one_to_the_next() -> None:
    louder = Policy("louder", at_once(lambda _, calls: tuple(Call(each.name, {"song": "RED"}) for each in calls)))
    twice = Policy("twice", at_once(lambda _, calls: (*calls, *calls)))
    assert outcome((louder, twice)) == (Call("play_music", {"song": "RED"}),) * 2


def test_a_finding_ends_it() -> None:
    step = Step(Agent.CONTEXT)
    assert outcome((Policy("found", at_once(lambda *_: Finding(step))), asking("two"))) == Finding(step)


def test_crutches_of_a_small_model_never_run_for_one_that_is_told_how_to_work() -> None:
    crutch = asking("crutch", tuned=True)
    assert outcome((crutch,)) == Question("crutch?")
    assert outcome((crutch,), (), Form.FULL) == outcome((crutch,), (), Form.INSTRUCTED) == WISH
    assert {each.name for each in POLICIES if each.tuned} == {"missing_app", "action_classifier"}


def test_what_judges_a_querys_own_words_does_not_judge_a_follow_up() -> None:
    assert outcome((asking("words", first=True),), (), Form.NAMES, Turn("hello")) == WISH


def test_a_policy_of_ones_own_joins_the_loop() -> None:
    def revised(situation: Situation, calls: tuple[Call, ...]) -> tuple[Call, ...] | Question:
        return Question("At this hour?") if calls and situation.now.hour < 9 else calls

    early = Policy("early", at_once(revised))
    loop = orchestrate("play Red", (), setting(), USUAL.without("record_answers"), (*POLICIES, early))
    said = iter(["task_completion", ' [play_music(song="Red")]'])
    want, turn = loop.send(None), None
    while turn is None:
        assert not isinstance(want, Act)
        unasked = () if isinstance(want, Rank | Unnamed) else _understood(want)
        answer = next(said) if isinstance(want, Think) else unasked
        try:
            want = loop.send(answer)
        except StopIteration as stop:
            turn = stop.value
    assert turn.response == "At this hour?"


def _understood(want: object) -> tuple[Observation, ...]:
    return tuple(Observation(call) for call in getattr(want, "calls", ()))
