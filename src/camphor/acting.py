"""What becomes of the calls of a query: look-ups are made, actions judged, proposed, and done at the person's word."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from camphor.agents.answers import will_do
from camphor.agents.consent import Ruled, ruled
from camphor.agents.events import Answer, ConsentNeeded, Decision, Event, Recalled
from camphor.agents.gate import Asked, Scene, carried_out, doubt_of_unseen, judge, said_in, unnamed
from camphor.agents.memory.aliases import addressed, by_name, look_up, worded
from camphor.agents.parts import Part, PartKind, asks_by_form, only_asks
from camphor.agents.wants import Act
from camphor.device.people import Receiver, receivers, without_claims
from camphor.errors import ToolError
from camphor.tools.tool import MEANT_ROLES, Kind
from camphor.types import Call, Observation, Step, Turn

if TYPE_CHECKING:
    from camphor.agents.memory.long_term import LongTermMemory
    from camphor.device.device import Device
    from camphor.device.memories import Memory


@dataclass
class Actions:
    """Executes the calls of a query's steps; actions wait for the person's word and carry a key: none is done twice.

    `history`: earlier turns. `key`: what the keys of the query's actions begin with. `read_again`: gives the actions
    that a second reading takes the query for; None where what is done unseen is not read again.
    `proposed`: those that a person could agree to; `refused`: of these, those without a yes; `doubts`: what is told
    of them. `held`: why others were not proposed at all; `misunderstood`: those that the device refused. `steps`: what
    was done and found so far; `recalled`: by what the person had told. `failed`: why the model stopped after an action.
    `attempted`: whether the model called an action, whatever became of it. `called`: the names of all calls.
    `readings`: the actions that a second reading takes the query for; None before it. `meant`: the person or thing that
    the person picked when asked.
    """

    query: str
    history: tuple[Turn, ...]
    device: Device
    memory: LongTermMemory | None
    key: str
    read_again: Callable[[str], tuple[Call, ...]] | None
    proposed: list[Call] = field(default_factory=list)
    refused: list[Call] = field(default_factory=list)
    doubts: list[tuple[Call, str]] = field(default_factory=list)
    held: set[str] = field(default_factory=set)
    misunderstood: list[Call] = field(default_factory=list)
    steps: tuple[Step, ...] = ()
    recalled: tuple[Memory, ...] = ()
    told: str = ""
    failed: str = ""
    attempted: bool = False
    called: list[str] = field(default_factory=list)
    readings: tuple[Call, ...] | None = None
    meant: str = ""

    def unnamed(self, written: Call) -> str:
        """The parameter of an action whose person or thing the person's words do not lead to; "" for none."""
        if written.name not in self.device.toolbox:
            return ""
        tool = self.device.toolbox.get(written.name)
        if self.memory is not None and by_name(self.query, self.memory, self.device.people()) != self.query:
            return ""  # by what the person has told of them
        try:
            call = self.device.normalise(written)
        except ToolError:  # as a rule nobody of that name is there; one that the person said is told of as it was said
            things = [each.name for each in tool.parameters if each.role in MEANT_ROLES]
            return next((name for name in things if not said_in(str(written.arguments.get(name, "")), self.query)), "")
        return unnamed(tool, written, call, self.scene(self.steps))

    def execute(self, want: Act) -> Generator[Event, Decision | None, tuple[Observation, ...]]:
        device = self.device
        observations: tuple[Observation, ...] = ()
        before = self.steps
        self.called += [call.name for call in want.calls]
        for call in want.calls:
            if device.toolbox.get(call.name).kind is Kind.CONTEXT:
                seen = yield from self._look_up(call)
            else:
                seen = yield from self._act(call)
            observations = (*observations, seen)
            self.steps = (*before, Step(want.agent, want.calls[: len(observations)], observations))
        return observations

    def scene(
        self, steps: tuple[Step, ...], recalled: tuple[str, ...] = (), reached: tuple[Receiver, ...] = ()
    ) -> Scene:
        """What an action, or an answer, is judged by."""
        device = self.device
        place = f"{device.location.get('city', '')} {device.owner}"
        turn = Turn(self.query, steps)
        actions = tuple(tool for tool in device.toolbox if tool.kind is Kind.ACTION)
        known = (self.history, device.now, device.people(), recalled, place, reached)
        return Scene(turn, *known, actions, tuple(self.proposed), self.meant)

    def _look_up(self, call: Call) -> Generator[Event, Decision | None, Observation]:
        device, memory = self.device, self.memory
        if reason := carried_out(device.toolbox.get(call.name), call, self.scene(self.steps)):
            return Observation(call, error=reason)
        if memory is None:
            return device.execute(call)
        found, told = look_up(call, device.toolbox.get(call.name), device.execute, memory, device.people())
        if told is not None:
            self.recalled = (*self.recalled, told)
            yield Recalled(memory.use(told))
        return found

    def _act(self, written: Call) -> Generator[Event, Decision | None, Observation]:
        self.attempted = True
        device, memory = self.device, self.memory
        recalled = self.recalled
        if memory is not None and written.name in device.toolbox:
            tool = device.toolbox.get(written.name)
            written, persons = addressed(written, tool, device.people(), memory)
            written, facts = worded(written, tool, self.query, memory)
            recalled = (*recalled, *persons, *facts)
            for each in (*persons, *facts):
                yield Recalled(memory.use(each))
        try:
            call = device.normalise(written)
        except ToolError as error:
            self.misunderstood.append(written)
            return Observation(written, error=str(error))
        wanted = self._judged(written, call, recalled)
        if isinstance(wanted, Observation):
            return wanted
        rule = self._ruled(call, wanted)
        if rule.refusal:
            self.held.add(rule.refusal)
            return Observation(call, error=rule.refusal)
        self.proposed.append(call)
        decision = Decision(Answer.YES, unseen=True) if rule.agreed else (yield wanted)
        if decision is not None and decision.unseen and decision.answer is Answer.YES:
            doubt = wanted.doubt or self._doubt_of_unseen(call)
            wanted = replace(wanted, doubt=doubt)
            decision = (yield wanted) if doubt else decision
            decision = None if doubt and decision is not None and decision.unseen else decision
        if decision is None or decision.answer is not Answer.YES:
            self.refused.append(call)
            self.doubts.append((call, wanted.doubt))
            return Observation(call)
        return device.execute(decision.call or call, f"{self.key}{len(self.proposed)}")

    def _ruled(self, call: Call, wanted: ConsentNeeded) -> Ruled:
        device = self.device
        tool = device.toolbox.get(call.name)
        reached = receivers(device, tool, call, [*(turn.query for turn in self.history), self.query])
        takes_away = device.about(call) is not None
        return ruled(tool, wanted, reached, device.consents, len(self.proposed), takes_away)

    def _doubt_of_unseen(self, call: Call) -> str:
        """Why a person should see an action first that is in no doubt by itself."""
        if self.read_again is None:
            return ""
        device = self.device
        tool, year = device.toolbox.get(call.name), device.now.year
        return doubt_of_unseen(
            tool,
            call,
            self.scene(self.steps),
            self.called.count(call.name),
            lambda of: (device.records(each.app, each.name) for each in device.lists() if each.app == of.app),
            self._readings,
            lambda each: will_do(each, each, year, device.about(each)),
        )

    def _readings(self) -> tuple[Call, ...]:
        """The actions that a second reading takes the query for; it is read once."""
        assert self.read_again is not None
        if self.readings is None:
            self.readings = self.read_again(self.query)
        return self.readings

    def _judged(self, written: Call, call: Call, recalled: Iterable[Memory]) -> ConsentNeeded | Observation:
        """What consent is asked for; an observation that says why where an action is not to be proposed."""
        device, history = self.device, self.history
        tool = device.toolbox.get(call.name)
        reached = receivers(device, tool, call, [*(turn.query for turn in history), self.query])
        shown = will_do(call, without_claims(written, call, reached), device.now.year, device.about(call))
        scene = self.scene(self.steps, tuple(each.text for each in recalled), reached)
        verdict = judge(tool, written, call, scene, shown)
        if verdict.refusal:
            self.held.add(verdict.refusal)
            told = verdict.part is not None and verdict.part.kind is PartKind.QUESTION
            return Observation(call, error=verdict.refusal, unasked=verdict.asked is Asked.NO and told)
        asks = only_asks(self.query, bool(history)) and asks_by_form(self.query, bool(history))
        if verdict.asked is Asked.UNSURE and asks and not _orders(verdict.part):
            return Observation(call, error=verdict.doubt, unasked=True)  # a question is answered, and nothing offered
        return ConsentNeeded(call, shown, verdict.doubt, verdict.evidence)


def _orders(part: Part | None) -> bool:
    """Whether a further part that was taken for a question may be an order after all: it ends with no such sign."""
    return part is not None and bool(part.start) and not part.text.rstrip().endswith("?")
