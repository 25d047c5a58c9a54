"""A trajectory flattened into prompt-completion pairs, one for each turn of an agent (CAMPHOR, section 4).

The high-order agent writes an agent's name, that agent its calls, and task completion the answer too where nothing was
done. User perception has one call without parameters, which code writes, so it gives no pair (Appendix B).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from camphor.agents.prompts import END, TOKENISED, Setting, open_turn, render_step, render_system
from camphor.types import Agent, Segment, Trajectory


@dataclass(frozen=True)
class Pair:
    """`prompt` + `completion` is how the next pair's prompt begins, or the whole conversation."""

    agent: Agent
    prompt: str
    completion: str


def pairs(trajectory: Trajectory, setting: Setting) -> list[Pair]:
    """All pairs of a conversation, in order; together their completions are what `prompts.render` marks as trained.

    Raises:
        ValueError: the setting's form has function tokens, which are not text.
    """
    if setting.form in TOKENISED:
        raise ValueError("function tokens cannot be written as text")
    text, found = _text(render_system(setting)), []
    for turn in (*trajectory.history, trajectory.turn):
        text += _text(open_turn(turn.query))
        for step in turn.steps:
            name, calls, observed = render_step(step, turn.query, setting)
            found.append(Pair(Agent.HIGH_ORDER, text, name.text))
            text += name.text
            answers = step.agent is Agent.TASK and not step.calls and step is turn.steps[-1]
            written = calls.text + (observed.text + turn.response + END if answers else "")
            if calls.trained:
                found.append(Pair(step.agent, text, written))
            text += written if answers else written + observed.text
        answered = bool(turn.steps) and turn.steps[-1].agent is Agent.TASK and not turn.steps[-1].calls
        text += "\n" if answered else turn.response + END + "\n"
    return found


def _text(segments: Iterable[Segment]) -> str:
    return "".join(segment.text for segment in segments)
