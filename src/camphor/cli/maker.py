"""Makes the calls of a plan one after the other: look-ups at once, actions as the person says."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from camphor.agents.events import Answer, ConsentNeeded, Decision
from camphor.device.when import show_time
from camphor.errors import ToolError
from camphor.tools.call_formats import RESULT, write_value
from camphor.tools.plans import CallOutcome, Plan, references, waves
from camphor.tools.tool import Kind, Toolbox
from camphor.trajectories.recorder import PlanVerdict
from camphor.types import Call

if TYPE_CHECKING:
    from camphor.cli.model import CallTarget
    from camphor.cli.show import Words


_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?")


class NotAllowed(ToolError):
    """The person, or the lack of one to ask, said no to this action."""


class PlanRunner:
    """What `plans.execute` runs each call with, `together=1`.

    Args:
        decide: gives the person's word on an action. before: is told each call that is about to be made.
        refusal: why an action is not to be proposed at all, of the call as it was written and as it would be made;
            "" where it may be.

    Attributes:
        plan: as it was proposed; corrected: with the values that the person put in place of others.
        edited: the places and parameters of those. done: places of the actions that were done.
    """

    def __init__(
        self,
        plan: Plan,
        place: CallTarget,
        decide: Callable[[ConsentNeeded], Decision],
        words: Words,
        before: Callable[[Call], None] | None = None,
        refusal: Callable[[Call, Call], str] | None = None,
    ) -> None:
        self.plan, self.corrected = plan, plan
        self.edited: set[tuple[int, str]] = set()
        self.done: list[int] = []
        self._place, self._decide, self._words, self._before = place, decide, words, before
        self._refusal = refusal
        self._order = [at for wave in waves(plan) for at in wave]
        self._failed: set[int] = set()
        self._asked: dict[int, Answer] = {}
        self._notes: dict[int, str] = {}
        self._made: dict[int, Call] = {}
        self._key = uuid.uuid4().hex

    def __call__(self, call: Call) -> Any:
        """Make one call, with results in place of its references. Raises: ToolError."""
        at = self._next()
        try:
            return self._make(at, call)
        except ToolError:
            self._failed.add(at)
            raise

    @property
    def verdict(self) -> PlanVerdict | None:
        """What the person said of the plan: no to an action is no to all; None where not every action was asked for."""
        actions = {at for at, call in enumerate(self.plan) if self._acts(call)}
        if Answer.NO in self._asked.values():
            return PlanVerdict.NO
        if not actions or actions - self._asked.keys():
            return None
        return PlanVerdict.CORRECTED if self.edited else PlanVerdict.YES

    def told(self, at: int, outcome: CallOutcome) -> dict[str, Any]:
        """What became of a call: `outcome` (done, refused, failed or not made), `value`, `error`, `made_as`, `text`."""
        call = self._made.get(at, outcome.call)
        words = self._words(call, self.plan[at], self._place.now.year)
        refused = self._asked.get(at) is Answer.NO
        state = "refused" if refused else "not made" if not outcome.made else "failed" if outcome.error else "done"
        arguments = None if any(references(call)) else dict(call.arguments)
        told = {"outcome": state, "value": outcome.value, "error": outcome.error, "made_as": arguments}
        if refused:
            return {**told, "text": f"Not done without your yes: {words}"}
        if outcome.error is not None:
            return {**told, "text": f"Not done: {outcome.error}"}
        gave = "" if outcome.value is None else f" → {_shown(outcome.value, self._place.now.year)}"
        note = f" ({self._notes[at]})" if self._notes.get(at) else ""
        return {**told, "text": f"{'Done' if self._acts(call) else 'Found'}: {words}{gave}{note}"}

    def _next(self) -> int:
        """The place of the call that `execute` makes now: it leaves out those that need one that failed."""
        while True:
            at = self._order.pop(0)
            if not any(each.to in self._failed for each in references(self.plan[at])):
                return at
            self._failed.add(at)

    def _make(self, at: int, call: Call) -> Any:
        fit = self._place.normalise(call)
        if self._acts(fit):
            fit = self._allowed(at, fit)
        self._made[at] = fit
        if self._before:
            self._before(fit)
        done = self._place.run(fit, f"{self._key}/{at}")
        self._notes[at] = done.note
        if self._acts(fit):
            self.done.append(at)
        return done.value

    def _allowed(self, at: int, fit: Call) -> Call:
        """The action as the person agreed to it."""
        if self._refusal and (why := self._refusal(self.plan[at], fit)):
            self._made[at] = fit
            raise NotAllowed(why)
        words = self._words(fit, self.plan[at], self._place.now.year)
        decision = self._decide(ConsentNeeded(fit, words))
        self._asked[at] = decision.answer
        if decision.answer is not Answer.YES:
            self._made[at] = fit
            raise NotAllowed(f"without your yes: {words}")
        if decision.call is None:
            return fit
        changed = {name: value for name, value in decision.call.arguments.items() if value != fit.arguments.get(name)}
        self.edited |= {(at, name) for name in changed}
        plan = list(self.corrected)
        plan[at] = Call(fit.name, {**plan[at].arguments, **changed})
        self.corrected = tuple(plan)
        return decision.call

    def _acts(self, call: Call) -> bool:
        return self._place.toolbox.get(call.name).kind is Kind.ACTION


def plain_words(toolbox: Toolbox) -> Words:
    """Words for what a call does: what the function is said to do, and every value, with the result that it is."""

    def words(call: Call, written: Call, year: int) -> str:
        first = " ".join(toolbox.get(call.name).description.split()).split(". ")[0].rstrip(".")
        values = ", ".join(
            f"{name}: {_shown(value, year)}{_source(written.arguments.get(name))}"
            for name, value in call.arguments.items()
        )
        return " ".join(filter(None, [first or call.name, f"({values})" if values else ""]))

    return words


def _source(written: Any) -> str:
    used = ", ".join(f"{RESULT}{each.to}" for each in references(written))
    return f" ({used})" if used else ""


def _shown(value: Any, year: int) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, str):
        return write_value(value, code=True)
    if _MOMENT.fullmatch(value):
        return show_time(datetime.fromisoformat(value), year)
    return " ⏎ ".join(value.splitlines())
