"""Reflexion (Shinn et al., 2024, as CAMPHOR uses it in section 5.2): try, judge the calls, learn a lesson, try again.

The paper says: as ReAct, with a step that examines the calls and gives feedback; three trials. It is silent on who
judges: here the model itself, from the trial alone, for right answers are not known when a person asks. A trial that it
finds right ends the query, and so does the third, which is submitted unjudged. A new trial begins with an empty history
and the lessons so far. Actions of the trials before were drafts: they never reach the device.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any

from camphor.agents.bounds import Limits
from camphor.agents.prompts import Setting
from camphor.agents.strategies.attempt import LINE, Attempt, submit
from camphor.agents.strategies.base import Steps, Wanted
from camphor.agents.strategies.react import TURNS, system_of, think_and_act
from camphor.agents.strategies.texts import ANSWER, lay_out, one_line
from camphor.agents.wants import Think
from camphor.tools.calls import render_calls
from camphor.types import Agent, Turn

TRIALS = 3
JUDGE = """\
The trial is over. Check the drafted actions against the request: is each one asked for, is none missing, is every
value said or found? Write `Verdict: right`, or `Verdict: wrong` and on the next line `Lesson: ...`, what to do
otherwise in a new trial."""
VERDICT = f'start: "Verdict: " ("right" | "wrong\\nLesson:" LINE)\nLINE: {LINE}\n'
VERDICT_TOKENS = 96


def reflexion(
    query: str,
    history: tuple[Turn, ...],
    setting: Setting,
    limits: Limits,
    *,
    trials: int = TRIALS,
    turns: int = TURNS,
) -> Steps:
    """Solve one query. Yields, is sent and returns what `base.Strategy` says; the turn's steps are the last trial's.

    Args:
        trials: the most trials. turns: the most turns of one trial.
    """
    lessons: list[str] = []
    while True:
        attempt = Attempt(query, history, setting, limits)
        attempt.lines += [f"Lesson of an earlier trial: {lesson}" for lesson in lessons]
        yield from think_and_act(attempt, turns)
        if len(lessons) >= trials - 1:
            break
        lesson = yield from judge(attempt)
        if not lesson:
            break
        lessons.append(lesson)
    return (yield from submit(attempt, lay_out(setting, system_of(setting), attempt.lines, ANSWER)))


def judge(attempt: Attempt) -> Generator[Wanted, Any, str]:
    """What the model would do otherwise; "" where it finds the trial right, or says nothing that can be read."""
    lines = [*attempt.lines, f"Drafted actions: {render_calls(attempt.drafted)}"]
    prompt = lay_out(attempt.setting, system_of(attempt.setting), lines, JUDGE)
    return read_verdict(str((yield Think(Agent.HIGH_ORDER, prompt, VERDICT, VERDICT_TOKENS))))


def read_verdict(text: str) -> str:
    """The lesson of a verdict; "" for a trial found right."""
    if not re.search(r"verdict\W*wrong", text, re.IGNORECASE):
        return ""
    lesson = re.search(r"lesson\W*(\S.*)", text, re.IGNORECASE | re.DOTALL)
    return one_line(lesson[1]) if lesson else "the last trial was wrong"
