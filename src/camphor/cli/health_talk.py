"""`camphor health talk`: tell what troubles you, and get an appointment with the right specialist."""

from __future__ import annotations

import sys
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.agents.health.case import HealthStrategy
from camphor.cli.health_phone import HealthDeviceOption, health_phone, say
from camphor.cli.leaving import check_shared, tell_destination
from camphor.cli.model import HEALTH, open_model
from camphor.cli.model import HELP as MODEL_HELP
from camphor.cli.options import JsonOption, ThreadsOption
from camphor.cli.text import ask, is_attended, print_json
from camphor.errors import UsageError

if TYPE_CHECKING:
    from camphor.agents.events import ConsentNeeded, Decision
    from camphor.agents.health.case import Taken
    from camphor.health.assistant import CaseOutcome, HealthAssistant
    from camphor.models.base import LanguageModel

_GREETING = (
    "Tell what troubles you, and I look for the right specialist and a free appointment. I give no diagnosis and no "
    "advice on treatment. In an emergency call 112, 999 or 911."
)
_SEEN = ("clinic", "health", "memory")
"""What the planner's prompts hold."""
_START = "Shall I tell an ambulance and your emergency contacts now?"


def talk(
    complaint: Annotated[list[str] | None, typer.Argument(help="What troubles you, in your words.")] = None,
    device: HealthDeviceOption = None,
    strategy: Annotated[
        HealthStrategy, typer.Option(help="Coded questions without a model, or the paper's planner and caller.")
    ] = HealthStrategy.INTERVIEW,
    model: Annotated[str | None, typer.Option("--model", help=f"Of the planner. {MODEL_HELP}")] = None,
    adapter: Annotated[
        Path | None, typer.Option(help="Of the planner: a LoRA adapter (GGUF) in place of the one that ships.")
    ] = None,
    threads: ThreadsOption = None,
    show: Annotated[bool, typer.Option("--show", help="Show each step: why, the call, what came back.")] = False,
    json_: JsonOption = False,
) -> None:
    """Talk about a complaint and book an appointment. Signs of an emergency go straight to the emergency call.

    \b
    camphor health talk "my knee has been swollen and stiff for two weeks"
    """
    with ExitStack() as opened:
        mind = _mind(opened, strategy, model, adapter, threads)
        talking = _Talk(opened, device, mind, strategy, show and not json_, json_, model)
        outcome = talking.settle(" ".join(complaint or ()))
    if outcome is None:
        return
    if outcome.findings:  # the phone is closed: the emergency call opens it for itself
        _emergency(device, talking.interactive, json_)


def _mind(
    opened: ExitStack, strategy: HealthStrategy, model: str | None, adapter: Path | None, threads: int | None
) -> LanguageModel | None:
    """The planner's model; the interview needs none.

    Raises:
        UsageError: a model is given to the interview, or cannot be opened.
    """
    if strategy is HealthStrategy.INTERVIEW:
        if model or adapter:
            raise UsageError("The interview asks no model: leave out --model and --adapter, or add --strategy planner")
        return None
    tell_destination(model)
    return opened.enter_context(closing(open_model(model, adapter, threads, HEALTH)[0]))


class _Talk:
    """An open phone, and the person at the keyboard, or at the other end of a pipe."""

    def __init__(
        self, opened: ExitStack, device: str | None, mind: LanguageModel | None, strategy: HealthStrategy, show: bool,
        json_: bool, model: str | None = None,
    ) -> None:  # fmt: skip
        from camphor.health.assistant import HealthAssistant
        from camphor.health.people import ready_clinic

        self.interactive = is_attended()
        self.json = json_
        phone = opened.enter_context(health_phone(device))
        check_shared(phone, model, _SEEN)
        ready_clinic(phone)  # whoever is in danger is heard on any phone
        watch = self._watch if show else None
        self.assistant: HealthAssistant = HealthAssistant(
            phone, mind, self._ask, self._tell, self._consent, watch, strategy=strategy
        )

    def settle(self, complaint: str) -> CaseOutcome | None:
        """One complaint after the other until the person has none, or one is an emergency; the last outcome.

        Raises: as `HealthAssistant.run`.
        """
        if not complaint and self.interactive:
            say(_GREETING, sys.stderr)
        outcome, given = None, bool(complaint)
        complaint = complaint or self._next()
        while complaint:
            outcome = self.assistant.run(complaint)
            if self.json:
                print_json(_report(outcome), one_line=True)
            complaint = "" if outcome.findings or given else self._next()
        return outcome

    def _next(self) -> str:
        try:
            return self._ask("")
        except KeyboardInterrupt:
            return ""

    def _ask(self, question: str) -> str:
        if question:
            say(question, sys.stderr if self.json else sys.stdout)
        try:
            return ask("> " if self.interactive else "").strip()
        except EOFError:
            return ""

    def _tell(self, message: str) -> None:
        say(message, sys.stderr if self.json else sys.stdout)

    def _consent(self, wanted: ConsentNeeded) -> Decision:
        from camphor.cli.show import NO, YES

        answer = self._ask(f"→ {wanted.description}. Do it? yes or no:").casefold()
        return YES if answer in ("y", "yes") else NO

    def _watch(self, turn: Taken) -> None:
        say(f"  {_shown(turn)}", sys.stderr)


def _emergency(device: str | None, interactive: bool, json_: bool) -> None:
    """The emergency call, after a word from the person: anything but a no begins it."""
    from camphor.cli.health_sos import start

    command = "camphor health sos start"
    if not interactive:
        say(f"To tell an ambulance and your emergency contacts, run  {command}", sys.stderr)
        raise typer.Exit(1)
    try:
        answer = ask(f"{_START} yes or no: ").strip().casefold()
    except EOFError:
        answer = "no"
    if answer in ("n", "no"):
        say(f"Nobody was told. To do it later, run  {command}", sys.stderr)
        return
    start(device=device, json_=json_, dry_run=False, wait=60)


def _shown(turn: Taken) -> str:
    from camphor.agents.health.case import Called, PlannerTurn
    from camphor.agents.health.prompts import show_seen
    from camphor.tools.calls import render_call

    if isinstance(turn, PlannerTurn):
        return f"{turn.reason} → {turn.action}"
    return render_call(turn.call) if isinstance(turn, Called) else show_seen(turn, 0)


def _report(outcome: CaseOutcome) -> dict[str, Any]:
    return {
        **outcome.case.to_json(),
        "emergency": [
            {"flag": found.flag.name, "words": list(found.words), "source": found.flag.source}
            for found in outcome.findings
        ],
        "done": [call.to_json() for call in outcome.done],
        "refused": [call.to_json() for call in outcome.refused],
        "booked": outcome.booked.to_json() if outcome.booked else None,
        "ended": outcome.end,
        "said": [vars(quote) for quote in outcome.quotes],
    }
