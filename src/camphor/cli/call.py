"""`camphor call`: one request becomes calls of functions, which are made when the person agrees."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.leaving import tell_destination
from camphor.cli.model import (
    Functions,
    Mind,
    PhoneTarget,
    caller_of,
    chosen_model,
    open_mind,
    open_place,
    tell_unknown_functions,
)
from camphor.cli.options import (
    CallAdapterOption,
    ChosenModelOption,
    FormOption,
    FunctionsDeviceOption,
    JsonOption,
    QueryArgument,
    ThreadsOption,
    ToolsOption,
    TopOption,
    YesOption,
)
from camphor.cli.text import ask, is_attended, print_json, say
from camphor.errors import CamphorError, ToolError, UsageError
from camphor.tools.plans import CallOutcome, Plan, execute, plan_to_json, references
from camphor.types import Call, Turn

if TYPE_CHECKING:
    from camphor.agents.calling.caller import PlannedCalls
    from camphor.agents.events import ConsentNeeded, Decision
    from camphor.cli.maker import PlanRunner
    from camphor.cli.show import Show


def call(
    query: QueryArgument = None,
    tools: ToolsOption = None,
    device: FunctionsDeviceOption = None,
    form: FormOption = None,
    top: TopOption = None,
    yes: YesOption = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the calls and make none.")] = False,
    commands: Annotated[
        bool, typer.Option("--am", help="Show each call as the command line of an Android phone's shell too.")
    ] = False,
    record: Annotated[
        Path | None, typer.Option(help="Add what you say of the calls to this file; see  camphor teach --help")
    ] = None,
    json_: JsonOption = False,
    model: ChosenModelOption = None,
    adapter: CallAdapterOption = None,
    threads: ThreadsOption = None,
) -> None:
    """Call functions for one request. Before each action you are asked, unless --yes is given; look-ups just run."""
    from camphor.app import clean_query

    text = clean_query(sys.stdin.read() if query == ["-"] else " ".join(query or ()), 'camphor call "wake me at seven"')
    if record is not None and not record.parent.is_dir():
        raise UsageError(f"{record} cannot be written: name a file in a folder that exists")
    with ExitStack() as opened:
        place = opened.enter_context(closing(open_place(tools, device)))
        if isinstance(place, Functions) and place.missing and not dry_run:
            raise UsageError(f"{tools} has no code for {place.missing}: name a Python file, or add --dry-run")
        name = chosen_model(model, adapter)
        tell_destination(name)
        mind = open_mind(name, adapter, form, threads, tools=place.toolbox)
        opened.enter_context(closing(mind.model))
        if not json_:
            tell_unknown_functions(mind, place.toolbox)
        session = _CallSession(place, mind, top, yes, commands, json_)
        planned = session.plan(text)
        if dry_run:
            session.tell_plan(text, planned)
            return
        status = session.make(text, planned, record)
    if status:
        raise typer.Exit(status)


class _CallSession:
    """A place, a model, and where what happens is shown."""

    def __init__(
        self, place: PhoneTarget | Functions, mind: Mind, top: int | None, yes: bool, commands: bool, json_: bool
    ) -> None:
        from rich.console import Console

        from camphor.cli.maker import plain_words
        from camphor.cli.show import Show

        self.place, self.mind, self.top = place, mind, top
        self.yes, self.commands, self.json = yes, commands, json_
        self.words = plain_words(place.toolbox)
        self.interactive = is_attended()
        self.show: Show = Show(Console(stderr=True), place.now.year, quiet=json_)

    def plan(self, query: str) -> PlannedCalls:
        """The calls for the request.

        Raises:
            CamphorError: there are none that could be made; says why.
        """
        self.now = self.place.now
        caller = caller_of(self.mind, self.place.toolbox, self.top)
        with self.show:
            planned = caller.plan(query, self.now)
        if planned.problem:
            raise CamphorError(f"No calls could be made of this request: {planned.problem}")
        return planned

    def tell_plan(self, query: str, planned: PlannedCalls) -> None:
        """The calls on standard output."""
        if self.json:
            calls = plan_to_json(planned.plan)
            if self.commands:
                calls = [{**each, "am": self._command(one)} for each, one in zip(calls, planned.plan, strict=True)]
            print_json({"query": query, "plan": calls, "timing": _timing(planned)})
            return
        for line in self._lines(planned.plan):
            say(line)

    def make(self, query: str, planned: PlannedCalls, record: Path | None) -> int:
        """Show the calls, make them as the person says, tell what came of each; the exit status."""
        from camphor.agents.answers import stopped
        from camphor.cli.maker import PlanRunner
        from camphor.cli.show import ConsentPrompt, Nobody, agree

        decide: Callable[[ConsentNeeded], Decision] = agree
        if not self.yes:
            decide = ConsentPrompt(self.place, self.show, ask, self.words) if self.interactive else Nobody()
        if not self.json:
            for line in self._lines(planned.plan):
                self.show.line(line, "dim")
        announce = self._announce if self.commands else None
        maker = PlanRunner(planned.plan, self.place, decide, self.words, announce, self._refusal(query))
        started = time.perf_counter()
        try:
            outcomes = execute(planned.plan, maker, together=1)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(stopped(len(maker.done))) from None
        nobody = decide if isinstance(decide, Nobody) else Nobody()
        self._tell(query, planned, maker, outcomes, time.perf_counter() - started, bool(nobody.proposed))
        nobody.tell(self.show)
        if record is not None and isinstance(decide, ConsentPrompt):
            self._record(query, planned, maker, record)
        return 0 if outcomes and all(each.error is None for each in outcomes) else 1

    def _refusal(self, query: str) -> Callable[[Call, Call], str]:
        """Says why an action is not to be proposed: the request does not ask for it."""
        from camphor.agents.gate import Scene, refusal_of

        scene = Scene(Turn(query), (), self.place.now, ())

        def refusal(written: Call, fit: Call) -> str:
            words = self.words(fit, written, self.place.now.year)
            return refusal_of(self.place.toolbox.get(fit.name), written, fit, scene, words)

        return refusal

    def _lines(self, plan: Plan) -> list[str]:
        """The calls as code, each with what it uses and, where wanted, its command line."""
        from camphor.tools.call_formats import write_code

        if not plan:
            return ["No function does this."]
        lines = []
        for one, code in zip(plan, write_code(plan, self.place.toolbox).splitlines(), strict=True):
            lines.append(code)
            if self.commands and (command := self._command(one)):
                lines.append(f"    {command}")
        return lines

    def _command(self, one: Call) -> str:
        if any(references(one)):
            return ""  # its values are not known yet
        try:
            return self.place.command(self.place.normalise(one))
        except ToolError as error:
            return f"! {error}"

    def _announce(self, one: Call) -> None:
        if (command := self.place.command(one)) and not self.json:
            self.show.line(f"    {command}", "dim")

    def _tell(
        self,
        query: str,
        planned: PlannedCalls,
        maker: PlanRunner,
        outcomes: tuple[CallOutcome, ...],
        seconds: float,
        nobody: bool,
    ) -> None:
        told = [maker.told(place, outcome) for place, outcome in enumerate(outcomes)]
        if self.json:
            calls = [
                {**each, **{key: value for key, value in one.items() if key != "text"}}
                for each, one in zip(plan_to_json(planned.plan), told, strict=True)
            ]
            if self.commands:
                calls = [{**each, "am": self._command(one.call)} for each, one in zip(calls, outcomes, strict=True)]
            print_json({"query": query, "plan": calls, "timing": {**_timing(planned), "calls_seconds": seconds}})
            return
        lines = [one["text"] for one in told if not (nobody and one["outcome"] == "refused")] or (
            [] if told else self._lines(())
        )
        for line in lines:
            say(line)

    def _record(self, query: str, planned: PlannedCalls, maker: PlanRunner, path: Path) -> None:
        """Note the person's word, where they gave one on every action."""
        from camphor.agents.calling.corrections import predicted
        from camphor.trajectories.recorder import Annotation, PlanVerdict, Recorder

        verdict = maker.verdict
        if verdict is None:
            return
        said = dict(predicted(planned, query, self.mind.form, self.place.toolbox).said)
        for at, name in maker.edited:  # the request's words are no longer where the value comes from
            said.pop(f"{at}.{name}", None)
        corrected = maker.corrected if verdict is PlanVerdict.CORRECTED else None
        Recorder(path).add(
            Annotation(
                query, planned.plan, verdict, corrected, planned.tools, self.now, said,
                model=self.mind.name, adapter=self.mind.adapter, form=self.mind.form.value,
            )
        )  # fmt: skip


def _timing(planned: PlannedCalls) -> dict[str, Any]:
    cost = planned.timing
    tokens = {"prompt_tokens": cost.prompt_tokens + cost.cached_tokens, "generated_tokens": cost.generated_tokens}
    return {"seconds": cost.seconds, **tokens}
