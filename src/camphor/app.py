"""The one composition root: a device, a language model and the agents become an assistant."""

from __future__ import annotations

import time
import unicodedata
import uuid
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

from camphor.acting import Actions
from camphor.agents.answering.answer import answer as answer_from_records
from camphor.agents.answering.likely import likely
from camphor.agents.answers import (
    NOT_UNDERSTOOD,
    claims,
    compose,
    grounded,
    list_findings,
    owns_up,
)
from camphor.agents.bounds import Limits
from camphor.agents.events import (
    AgentChosen,
    Answer,
    Answered,
    CallsProposed,
    ConsentNeeded,
    Decision,
    Event,
    Observed,
    StepTiming,
    Writing,
)
from camphor.agents.gate import nothing_asked, why_nothing
from camphor.agents.gate.asked import tell_unmet, unmet
from camphor.agents.languages import not_english
from camphor.agents.memory.aliases import by_name
from camphor.agents.memory.hearing import Hears, hearing_of
from camphor.agents.memory.known_facts import MemoryReply
from camphor.agents.memory.long_term import LongTermMemory
from camphor.agents.orchestrator import observations_of, orchestrate
from camphor.agents.parts import PartKind, asks_to_be_told, parts_of
from camphor.agents.policies.missing_app import denies
from camphor.agents.prompts import TOLD, Form, Setting, render_system, render_turn
from camphor.agents.reckoning import Reckoning, days_of, days_to, reckon
from camphor.agents.relevant import picked
from camphor.agents.small_talk import clock, courtesy
from camphor.agents.statements.standing import LONGEST as LONGEST_TOLD
from camphor.agents.statements.standing import Statements, so_far
from camphor.agents.statements.told import own_words
from camphor.agents.strategies.base import Strategy
from camphor.agents.strategies.registry import CHATTING
from camphor.agents.tool_priors import leaning_of, with_hints
from camphor.agents.topic_shift import asks, stands_alone
from camphor.agents.wants import Chat, Check, Rank, Seek, Tell, Think, Unnamed
from camphor.device.apps import BUILT_IN_APPS
from camphor.errors import ModelError, ToolError, UsageError
from camphor.models.base import LanguageModel, Request
from camphor.models.chat import ChatModel, ChatReply
from camphor.types import EXPERTS, Agent, Call, Observation, Segment, Step, Trajectory, Turn

if TYPE_CHECKING:
    from camphor.device.device import Device
    from camphor.retrieval.context.relevance import Relevance, Relevant

_EXPERT_NAMES = frozenset(agent.value for agent in EXPERTS)
LONGEST_QUERY = 4000  # characters; about 1,000 tokens, a quarter of the context


def setting_of(device: Device, form: Form = Form.NAMES) -> Setting:
    """What the prompts need to know of a device; training builds its samples with the same function."""
    toolbox = device.toolbox if form in TOLD else device.toolbox.learnt
    return Setting(toolbox, device.now, device.location.get("city", ""), frozenset(BUILT_IN_APPS), form)


def turn_key(conversation: str, turn: int) -> str:
    """What the keys of a query's actions begin with: the device tells by it what was done (`Device.done`)."""
    return f"{conversation}/{turn}/"


def clean_query(query: str, example: str = "") -> str:
    """One line of printable text.

    Args:
        example: a command line to show where nothing is left.

    Raises:
        UsageError: nothing is left, or it is longer than `LONGEST_QUERY` characters.
    """
    printable = "".join(
        " " if unicodedata.category(character) in ("Cc", "Cf", "Cs") else character for character in query
    )
    text = " ".join(printable.split())
    if not text:
        raise UsageError(f"The query is empty: write what you want{example and f', for example  {example}'}")
    if len(text) > LONGEST_QUERY:
        raise UsageError(
            f"The query has {len(text):,} characters and at most {LONGEST_QUERY:,} are understood: shorten it"
        )
    return text


@cache
def shipped_model() -> LanguageModel:
    """The language model that comes with this package, opened once.

    Raises:
        ModelMissing: its files are not there.
    """
    from camphor.models.llama import LlamaModel

    return LlamaModel()


@dataclass
class Assistant:
    """Answers queries on one device, turn after turn.

    Args:
        device: whose phone it is; model: what thinks; history: earlier turns of the conversation, oldest first.
        limits: bounds of a query; form: how prompts are written; strategy: how the agents work together.
        memory: what is kept from one conversation to the next; None keeps and uses nothing.
        relevance: what tells which items matter for a query; made of the device when it is first needed.
        whole: the phone of which `device` is the part that the model may see (`Device.without`); None where it is all.
        second: opens the model that reads a query again before an action of a capable model is done unseen
            (`Decision.unseen`); None lets all be done that is not in doubt otherwise.
    """

    device: Device
    model: LanguageModel | ChatModel
    history: tuple[Turn, ...] = ()
    limits: Limits = field(default_factory=Limits)
    form: Form = Form.NAMES
    conversation: str = field(default_factory=lambda: uuid.uuid4().hex)
    strategy: Strategy = orchestrate
    memory: LongTermMemory | None = None
    turns: int = 0
    relevance: Relevance | None = None
    whole: Device | None = None
    second: Callable[[], LanguageModel] | None = shipped_model

    def run(self, query: str) -> Generator[Event, Decision | None, Answered]:
        """Solve one query, telling each event as it happens; `ConsentNeeded` is answered with a `Decision`.

        Raises:
            UsageError: the query is empty or too long. ModelError: the model cannot answer. StoreError: nor the device.
        """
        query = clean_query(query)
        meant = picked(query, self.history)
        if meant:  # "the second": the wish before is for that one
            query, self.history = self.history[-1].query, self.history[:-1]
        self.turns += 1  # never counted back: the keys of actions are made of it
        if not self._chats and (foreign := not_english(query)):
            yield (answered := self._told(query, MemoryReply(foreign)))
            return answered
        if self.memory is not None and (
            told := (yield from self.memory.answer(query, self.turns, asks(self.history), self._hearing))
        ):
            answered = self._told(query, told)
            yield answered
            return answered
        alone = "" if self.history else clock(query, self.device.now)  # "what day?" may ask about what was said
        if (reply := alone or ("" if self._chats else courtesy(query))) and not asks(self.history):
            answered = self._told(query, MemoryReply(reply))
            yield answered
            return answered
        if not asks(self.history) and (reckoned := self._reckoned(query)) is not None:
            return (yield from self._tell_reckoned(query, reckoned))
        setting = replace(setting_of(self.device, self.form), meant=meant)
        if self._chats:
            setting = replace(setting, owner=self.device.owner, context=self.model.context)
        history = self._remembered(query, setting)
        if setting.form is Form.HINTED:
            setting = with_hints(setting, query, history)
        if self.limits.uses("tool_priors") and setting.form not in TOLD:
            setting = replace(setting, leaning=leaning_of(setting, query, self.device))
        tells = self.limits.uses("record_answers") and setting.form not in TOLD
        idle = nothing_asked(query, history, setting.toolbox) if tells else None
        if idle is not None and not asks_to_be_told(query, bool(history)):
            yield (answered := self._told(query, MemoryReply(why_nothing(idle))))
            return answered
        remembered = self.memory.relevant(query) if self.memory is not None and self._chats else ()
        setting = replace(setting, remembered=tuple(each.text for each in remembered))
        loop = self.strategy(query, history, setting, self.limits)
        timings: list[StepTiming] = []
        again = self._read_again if self._reads_again else None
        key = turn_key(self.conversation, self.turns)
        actions = Actions(query, self.history, self.device, self.memory, key, again, meant=meant)
        actions.recalled = remembered
        answer: str | ChatReply | tuple[Observation, ...] | tuple[Relevant, ...] | tuple[str, ...] | None = None
        while True:
            try:
                want = loop.send(answer)
            except StopIteration as stop:
                turn: Turn = stop.value
                break
            if isinstance(want, Think):
                answer = self._think(want, timings)
                if want.agent is Agent.HIGH_ORDER and answer in _EXPERT_NAMES:
                    yield AgentChosen(Agent(answer))
            elif isinstance(want, Chat):
                try:
                    answer = yield from self._chat(want, actions, timings)
                except ModelError as error:
                    if not self.done:
                        raise
                    actions.failed = str(error)  # what was done is told all the same
                    answer = ChatReply()
            elif isinstance(want, Seek):
                answer = tuple(self.device.execute(call) for call in want.calls)
            elif isinstance(want, Tell):
                actions.told = answer = self._tell(want)
            elif isinstance(want, Rank):
                answer = self._relevant(want.query)
            elif isinstance(want, Check):
                answer = tuple(self._check(call) for call in want.calls)
            elif isinstance(want, Unnamed):
                answer = tuple(actions.unnamed(call) for call in want.calls)
            else:
                yield CallsProposed(want.agent, want.calls)
                observations = yield from actions.execute(want)
                yield Observed(Step(want.agent, want.calls, observations))
                answer = observations
        turn = replace(turn, response=self._respond(turn, actions))
        if self.memory is not None:
            self.memory.note(turn, self.turns, actions.refused)
        trajectory = Trajectory(turn, self.history)
        self.history = (*self.history, turn)
        proposed, refused, misunderstood = map(tuple, (actions.proposed, actions.refused, actions.misunderstood))
        answered = Answered(self._of_whole(turn), trajectory, tuple(timings), proposed, refused, misunderstood)
        yield answered
        return answered

    def _read_again(self, query: str) -> tuple[Call, ...]:
        """The actions that the shipped model takes a query for, of itself; none where it cannot tell."""
        assert self.second is not None
        try:
            with self.device.copy() as copy:  # a look-up may leave traces
                reader = Assistant(copy, self.second(), self.history)
                return run_to_end(reader, query, consent=False).proposed
        except ModelError:
            return ()

    @property
    def _reads_again(self) -> bool:
        """Whether what is to be done unseen is read a second time: not what the shipped model wrote itself."""
        return (self._chats or self.form in TOLD) and self.second is not None

    def _of_whole(self, turn: Turn) -> str:
        """What the person is told: code may answer from what the model may not see, and no history keeps that."""
        if self.whole is None or turn.actions or any(seen.records for seen in observations_of(turn)):
            return turn.response
        told = answer_from_records(turn.query, self.whole, (), before=[each.query for each in self.history[:-1]])
        return told.text if told.found else turn.response

    @property
    def done(self) -> int:
        """How many actions of the last query were done, also where it was stopped: the journal knows."""
        return len(self.device.done(turn_key(self.conversation, self.turns)))

    def _told(self, query: str, told: MemoryReply) -> Answered:
        """The turn that code answered. It is not part of the history: no model was trained on such turns.

        Of what is forgotten the conversation keeps nothing either. A chat model was told of none, and reads it all.
        """
        turn = Turn(query, (Step(Agent.TASK),), told.response)
        before = tuple(each for each in self.history if each.query not in told.forgotten)
        self.history = (*before, turn) if self._chats and not told.forgotten else before
        return Answered(turn.response, Trajectory(turn, before), refused=told.refused)

    def _remembered(self, query: str, setting: Setting) -> tuple[Turn, ...]:
        """The latest turns that leave half of the model's context to the query; older ones are forgotten, whole.

        None where the query has nothing to do with them.
        """
        tuned = setting.form not in TOLD  # a model that is told how to work sees for itself what belongs together
        if tuned and self.limits.uses("topic_shift") and stands_alone(query, self.history):
            return ()
        fixed = replace(setting, hints=frozenset())  # those of a query are few
        left = self.model.context // 2 - self._tokens(render_system(fixed))
        kept: list[Turn] = []
        for turn in reversed(self.history):
            left -= self._tokens(render_turn(turn, setting, trained=False))
            if left < 0:
                break
            kept.insert(0, turn)
        return tuple(kept)

    def _tokens(self, prompt: Iterable[Segment]) -> int:
        return sum(1 if segment.compressed else self.model.count_tokens(segment.text) for segment in prompt)

    @property
    def _hearing(self) -> Hears | None:
        """How the model hears what a query tells; None where it did not learn to."""
        return hearing_of(self.model) if not self._chats and isinstance(self.model, LanguageModel) else None

    def _think(self, want: Think, timings: list[StepTiming]) -> str:
        started = time.perf_counter()
        assert isinstance(self.model, LanguageModel)
        reply = self.model.complete(
            Request(want.prompt, want.grammar, want.max_tokens, copies=want.copies, leaning=want.leaning)
        )
        cost = reply.timing
        timings.append(
            StepTiming(
                time.perf_counter() - started,
                cost.prompt_tokens,
                cost.cached_tokens,
                cost.sampled_tokens + cost.forced_tokens,
                cost.forced_tokens,
                want.agent,
            )
        )
        return reply.text

    def _chat(
        self, want: Chat, actions: Actions, timings: list[StepTiming]
    ) -> Generator[Event, Decision | None, ChatReply]:
        """A chat model's next message; what of its text may be told is told while it is written."""
        assert isinstance(self.model, ChatModel)
        started, text, shown = time.perf_counter(), "", ""
        statements = self._statements(actions)
        talk = self.model.chat(want.request)
        try:
            while True:
                text += next(talk)
                if (
                    len(text) <= 2 * LONGEST_TOLD
                    and (told := so_far(text, statements)) != shown
                    and len(told) > len(shown)
                ):
                    yield Writing(told)
                    shown = told
        except StopIteration as stop:
            reply: ChatReply = stop.value
        finally:
            talk.close()
        cost = reply.timing
        seconds = time.perf_counter() - started
        written = cost.sampled_tokens + cost.forced_tokens
        timings.append(StepTiming(seconds, cost.prompt_tokens, cost.cached_tokens, written, 0, want.agent))
        return reply

    @property
    def _chats(self) -> bool:
        """Whether the model is asked by messages, and answers in its own words."""
        return self.strategy in CHATTING.values()

    def _statements(self, actions: Actions) -> Statements:
        """What a model's own words are held against."""
        asked = {step.agent for step in actions.steps if step.calls and step.agent is not Agent.TASK}
        web = asked == {Agent.KNOWLEDGE}
        return Statements(actions.scene(actions.steps), bool(asked), web_alone=web, attempted=actions.attempted)

    def _check(self, call: Call) -> Observation:
        """What the device makes of an action, without doing it."""
        try:
            return Observation(self.device.normalise(call))
        except ToolError as error:
            return Observation(call, error=str(error))

    def _relevant(self, query: str) -> tuple[Relevant, ...]:
        """The items that matter for a query; none where that cannot be told."""
        from camphor.retrieval.context.relevance import Relevance

        try:
            self.relevance = self.relevance or Relevance(self.device)
            return self.relevance.items(query)
        except Exception:  # whatever breaks in an index costs its help, never the query
            return ()

    def _reckoned(self, query: str) -> Reckoning | None:
        """What code reckons of a query that asks for a sum, another unit or a day, and for nothing else."""
        device = self.device
        found = reckon(query, device.now, str(device.location.get("country", ""))) or days_to(
            query, device.now, days_of(device)
        )
        if found is None or found.call is None:
            # no rates are known: a page of the web may have one
            return None if found is None or device.web else found
        ours = found.call.name in device.toolbox and not device.toolbox.get(found.call.name).app
        return found if ours else None  # an app's tool of that name is another

    def _tell_reckoned(self, query: str, reckoned: Reckoning) -> Generator[Event, Decision | None, Answered]:
        steps: tuple[Step, ...] = ()
        if reckoned.call is not None:
            yield CallsProposed(Agent.KNOWLEDGE, (reckoned.call,))
            steps = (Step(Agent.KNOWLEDGE, (reckoned.call,), (self.device.execute(reckoned.call),), taught=False),)
            yield Observed(steps[0])
        turn = Turn(query, (*steps, Step(Agent.TASK)), reckoned.text)
        yield (answered := Answered(turn.response, Trajectory(turn, self.history)))
        return answered

    def _tell(self, want: Tell) -> str:
        """What records say about what a turn asks, or what the person told, where no record says anything."""
        turn, before = want.turn, [earlier.query for earlier in self.history]
        query = by_name(turn.query, self.memory, self.device.people()) if self.memory else turn.query
        told = answer_from_records(query, self.device, turn.steps, before=before)
        if not told.found and self.memory and (known := self.memory.when_nothing_was_found(turn.query)):
            return known
        if told.found:
            self.device.viewed(told.shown)
        if not told.found and (seen := self._of_functions(turn)):
            return list_findings(seen, self.device.now.year)
        if not told.found and not want.otherwise and not any(each.lacking or each.picks for each in told.programs):
            more = likely(query, self.device, self._relevant) if self.limits.uses("context_recall") else ""
            return f"{told.text}\n{more}".strip()
        return told.text if told.found else want.otherwise or told.text

    def _of_functions(self, turn: Turn) -> list[Observation]:
        """What the person's own functions gave back: the programs over records know the phone's own lists alone."""
        apps, tools = self.device.function_folders, self.device.toolbox
        if not apps:
            return []
        found = (seen for seen in observations_of(turn) if seen.records and seen.call.name in tools)
        return [seen for seen in found if tools.get(seen.call.name).app in apps]

    def _respond(self, turn: Turn, actions: Actions) -> str:
        year = self.device.now.year
        if self._chats:
            return self._of_chat(turn, actions)
        if turn.actions:
            return self._of_actions(turn, actions)
        if actions.told or (self.form not in TOLD and self.strategy is orchestrate):
            return turn.response  # composed by code, or a question back
        found = list(observations_of(turn))
        said = " ".join([turn.query, *(earlier.query + " " + earlier.response for earlier in self.history)])
        said += " " + self.device.now.strftime("%d %Y %H %M").replace(" 0", " ")
        nothing = self.memory is not None and not any(each.records for each in found)
        if self.memory and nothing and (known := self.memory.when_nothing_was_found(turn.query)):
            return known
        if denies(turn.response, self.device.toolbox):
            return list_findings(found, year) if any(each.records for each in found) else NOT_UNDERSTOOD
        if claims(turn.response, turn.query):
            return f"{list_findings(found, year).rstrip('.')}. Nothing was done."
        if turn.response and grounded(turn.response, said, found, year) and owns_up(turn.response, turn.query, found):
            return turn.response
        return list_findings(found, year)

    def _of_chat(self, turn: Turn, actions: Actions) -> str:
        """What became of each action, and a model's own words where the phone bears them out."""
        statements = self._statements(actions)
        if not turn.actions:
            told = answer_from_records(turn.query, self.device, turn.steps)
            return own_words(turn.response, statements, told.text if told.found else "", acted=False)
        words = own_words(turn.response, statements, "\n".join(self._of_questions(turn)), acted=True)
        failed = f"Then the model failed: {actions.failed}" if actions.failed else ""
        return "\n".join(filter(None, [self._of_actions(turn, actions, words).strip(), failed]))

    def _of_actions(self, turn: Turn, actions: Actions, words: str | None = None) -> str:
        """What became of each action, and which wishes no action stands for; with it, what `words` tell, or records."""
        year, people = self.device.now.year, self.device.people()
        done = compose(turn.steps, actions.refused, year, actions.doubts, actions.held, people)
        if words is not None:
            return f"{done}\n{words}" if words else done
        calls = [seen.call for step in turn.steps if step.agent is Agent.TASK for seen in step.observations]
        done = "\n".join([done, *self._of_questions(turn)])
        return f"{done} {tell_unmet(unmet(turn.query, bool(self.history), calls, self.device.people()))}".strip()

    def _of_questions(self, turn: Turn) -> list[str]:
        """What records say about the questions that stand beside the wishes of a query."""
        asked = [part for part in parts_of(turn.query, bool(self.history)) if part.kind is PartKind.QUESTION]
        told = [answer_from_records(part.text, self.device, turn.steps) for part in asked]
        return [each.text for each in told if each.found]


def predicted_calls(answered: Answered) -> tuple[Call, ...]:
    """The task-completion calls of a turn: what the metrics compare with the gold.

    Those that were proposed, normalised, and after them those that the device refused, as the model wrote them. What
    the gate before actions held back is not among them: nobody would have been asked for it.
    """
    return (*answered.proposed, *answered.misunderstood)


def run_to_end(assistant: Assistant, query: str, *, consent: bool) -> Answered:
    """Drive one query without a person: every action gets the same answer, but what is in doubt is never agreed to.

    Raises: as `Assistant.run`.
    """
    loop = assistant.run(query)
    event: Event = next(loop)
    while not isinstance(event, Answered):
        if isinstance(event, ConsentNeeded):
            event = loop.send(Decision(Answer.YES if consent and not event.doubt else Answer.NO, unseen=consent))
        else:
            event = next(loop)
    loop.close()
    return event
