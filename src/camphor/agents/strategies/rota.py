"""In which order CAMPHOR's agents work on a query (sections 3.1 and 5.2, Appendix B), however each of them is asked.

The paper is silent on when it ends; here each query does within `limits.steps` + 4 turns, the last of them
response-submit's. An expert that repeats itself is not asked again; nor is the answer agent before something new is
known, nor the reflection agent before there is a new draft.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Protocol

from camphor.agents.bounds import Limits
from camphor.agents.strategies.base import Steps, Wanted
from camphor.agents.strategies.roles import ANSWER, REFLECTION, SUBMIT, experts
from camphor.tools.tool import Toolbox
from camphor.types import Agent

EXTRA_TURNS = 4  # two drafts and what is said of each, or as many more look-ups


class Workers(Protocol):
    """The agents at work on one query."""

    def choose(self, names: list[str], /) -> Generator[Wanted, Any, str]:
        """Which of these works next."""
        ...

    def look_up(self, agent: Agent, /) -> Generator[Wanted, Any, bool]:
        """What an expert looks up; whether something was."""
        ...

    def draft(self) -> Generator[Wanted, Any, None]:
        """A draft in place of the last."""
        ...

    def reflect(self) -> Generator[Wanted, Any, None]:
        """What is to be changed of it."""
        ...

    def submit(self) -> Steps:
        """What is done, once the person agrees, or answered."""
        ...


def take_turns(workers: Workers, toolbox: Toolbox, limits: Limits) -> Steps:
    """Let one after the other work until one of them, or the last turn, submits."""
    rota = _Rota(tuple(experts(toolbox)))
    for _ in range(limits.steps + EXTRA_TURNS - 1):
        name = yield from workers.choose(rota.names())
        if name == SUBMIT:
            break
        if name == ANSWER:
            yield from workers.draft()
            rota.news = rota.judged = False
        elif name == REFLECTION:
            yield from workers.reflect()
            rota.news = rota.judged = True
        else:
            rota.looked_up(Agent(name), (yield from workers.look_up(Agent(name))))
    return (yield from workers.submit())


@dataclass
class _Rota:
    """Who may work next.

    `experts` are those with more to tell. `news`: something was found or said since the last draft. `judged`: the
    reflection agent has spoken of the last draft, or there is none.
    """

    experts: tuple[Agent, ...]
    news: bool = True
    judged: bool = True

    def names(self) -> list[str]:
        names = [agent.value for agent in self.experts]
        return names + [ANSWER] * self.news + [REFLECTION] * (not self.judged) + [SUBMIT]

    def looked_up(self, agent: Agent, found: bool) -> None:
        if agent is Agent.PERCEPTION or not found:
            self.experts = tuple(each for each in self.experts if each is not agent)
        self.news |= found
