"""`camphor teach`: predictions are shown one by one, and what the person says of them becomes training samples."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import datetime
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
    ThreadsOption,
    ToolsOption,
    TopOption,
)
from camphor.cli.text import ask, ask_with_editing, clean, is_attended, print_json
from camphor.errors import CamphorError, DatasetError, Refused, ToolError, UsageError

if TYPE_CHECKING:
    from camphor.agents.calling.caller import PlannedCalls
    from camphor.agents.calling.corrections import Correction
    from camphor.cli.show import Show
    from camphor.tools.tool import Toolbox
    from camphor.trajectories.recorder import PlanVerdict, Recorder

QUESTION = "  Right? yes, no, correct, skip or quit: "
_HOW = "    One call a line: Enter keeps what is shown, - drops it, an empty line ends; none: nothing fits."


def teach(
    queries: Annotated[
        Path | None,
        typer.Argument(help="A query a line, or JSON lines with a query each; typed one by one unless given."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The file that what you say is added to (JSON lines).")
    ] = None,
    export: Annotated[
        Path | None, typer.Option(help="Ask nothing: make training data of what such a file holds.")
    ] = None,
    to: Annotated[Path | None, typer.Option(help="The folder for --export; named after the file unless given.")] = None,
    tools: ToolsOption = None,
    device: FunctionsDeviceOption = None,
    form: FormOption = None,
    top: TopOption = None,
    json_: JsonOption = False,
    model: ChosenModelOption = None,
    adapter: CallAdapterOption = None,
    threads: ThreadsOption = None,
) -> None:
    """Say which predicted calls are right and put the others right; nothing is called.

    \b
    camphor teach queries.txt --tools trips.py --out taught.jsonl
    camphor teach --export taught.jsonl --tools trips.py      # taught/train.jsonl and tools.json

    The same command goes on where it stopped. What  camphor call --record  noted can be exported, and gone through
    again, like any such file.
    """
    with ExitStack() as opened:
        if export is not None:
            if queries is not None or out is not None:
                raise UsageError("--export takes what was said before: leave the queries and --out out")
            place = opened.enter_context(closing(open_place(tools, device)))
            _export(export, to or export.with_suffix(""), place.toolbox, json_)
            return
        if out is None or not out.parent.is_dir():
            raise UsageError("Say where your answers go, in a folder that exists: --out FILE.jsonl")
        if to is not None or json_:
            raise UsageError("--to and --json belong to --export")
        asked = None if queries is None else list(read_queries(queries))
        place = opened.enter_context(closing(open_place(tools, device)))
        if not is_attended():
            raise Refused("Nothing was asked: run this in a terminal, where you can answer")
        name = chosen_model(model, adapter)
        tell_destination(name)
        mind = open_mind(name, adapter, form, threads, tools=place.toolbox)
        opened.enter_context(closing(mind.model))
        tell_unknown_functions(mind, place.toolbox)
        _Lesson(place, mind, top, out).hold(asked)


@dataclass(frozen=True)
class QueryToTeach:
    """A query, and the clock of whoever asked it where the file says it."""

    query: str
    now: datetime | None = None


def read_queries(path: Path) -> Iterator[QueryToTeach]:
    """The queries of a file: plain lines, or JSON lines with `query` and, it may be, `now`.

    Raises:
        DatasetError: it cannot be read, or a line breaks the form; names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, ValueError) as error:
        told = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise DatasetError(str(path), None, f"cannot be read: {told}") from None
    filled = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]
    if not filled:
        raise DatasetError(str(path), None, "holds no query: write one a line")
    in_json = filled[0][1].startswith("{")
    for number, line in filled:
        try:
            yield _asked(line, in_json)
        except (ValueError, TypeError, UsageError) as error:
            raise DatasetError(str(path), number, str(error)) from None


def _asked(line: str, in_json: bool) -> QueryToTeach:
    from camphor.app import clean_query

    if not in_json:
        return QueryToTeach(clean_query(line))
    data = json.loads(line)
    if not isinstance(data, dict) or not isinstance(data.get("query"), str):
        raise ValueError("expected an object with a query")
    return QueryToTeach(clean_query(data["query"]), datetime.fromisoformat(data["now"]) if data.get("now") else None)


class _Lesson:
    """Goes through queries with a person."""

    def __init__(self, place: PhoneTarget | Functions, mind: Mind, top: int | None, out: Path) -> None:
        from rich.console import Console

        from camphor.cli.show import Show
        from camphor.trajectories.recorder import Recorder

        self.place, self.mind, self.top = place, mind, top
        self.caller = caller_of(mind, place.toolbox, top)
        self.recorder: Recorder = Recorder(out)
        self.said = set(self.recorder.latest())
        self.added = 0
        self.show: Show = Show(Console(stderr=True), place.now.year)

    def hold(self, asked: list[QueryToTeach] | None) -> None:
        """Ask about every query that nothing was said of yet; about typed ones until an empty line."""
        left = None if asked is None else [each for each in asked if " ".join(each.query.split()) not in self.said]
        if asked is not None and left is not None and len(left) < len(asked):
            self.show.line(
                f"{len(asked) - len(left)} of {len(asked)} queries are answered in {self.recorder.path}.", "dim"
            )
        try:
            for place, each in enumerate(self._typed() if left is None else left, 1):
                count = "" if left is None else f"{place}/{len(left)} "
                if not self._about(each, count):
                    break
        except EOFError:
            self.show.line("", "")
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"Stopped: {self._summary()}") from None
        self.show.line(self._summary(), "")

    def _summary(self) -> str:
        answers = "1 answer" if self.added == 1 else f"{self.added} answers"
        return f"{answers} added to {self.recorder.path}; the same command goes on from here."

    def _typed(self) -> Iterator[QueryToTeach]:
        from camphor.app import clean_query

        while line := ask_with_editing("> ").strip():
            try:
                yield QueryToTeach(clean_query(line))
            except UsageError as error:
                self.show.line(f"  ! {error}", "yellow")

    def _about(self, asked: QueryToTeach, count: str) -> bool:
        """One query; False to end."""
        from camphor.trajectories.recorder import PlanVerdict

        now = asked.now or self.place.now
        with self.show:
            planned = self.caller.plan(asked.query, now)
        self.show.line(count, "dim", asked.query, "bold")
        for line in self._editable(asked, planned) or ["no call"]:
            self.show.line(f"    {line}", "green" if planned.problem is None else "yellow")
        if planned.problem:
            self.show.line(f"    ! {planned.problem}", "yellow")
        while True:
            word = ask(QUESTION).strip().casefold()
            if word in ("q", "quit"):
                return False
            if word in ("s", "skip"):
                return True
            if word in ("y", "yes"):
                if planned.problem is None:
                    return self._note(asked, now, planned, PlanVerdict.YES, None)
                self.show.line("    ! This cannot be used as it is: correct it, or say no.", "yellow")
            elif word in ("n", "no"):
                return self._note(asked, now, planned, PlanVerdict.NO, None)
            elif word in ("c", "correct"):
                correction = self._correct(asked, now, planned)
                if correction is not None:
                    return self._note(asked, now, planned, PlanVerdict.CORRECTED, correction)

    def _editable(self, asked: QueryToTeach, planned: PlannedCalls) -> list[str]:
        from camphor.agents.calling.corrections import editable

        return editable(planned, asked.query, self.mind.form, self.place.toolbox)

    def _correct(self, asked: QueryToTeach, now: datetime, planned: PlannedCalls) -> Correction | None:
        """The calls as the person writes them, asked again until they can be used; None where nothing was written."""
        from camphor.agents.calling.corrections import read_correction

        lines = self._editable(asked, planned)
        self.show.line(_HOW, "dim")
        while True:
            lines = self._edited(lines)
            if not lines:
                return None
            try:
                return read_correction("\n".join(lines), asked.query, self.place.toolbox, now)
            except ToolError as error:
                self.show.line(f"    ! {error}", "yellow")

    def _edited(self, lines: Iterable[str]) -> list[str]:
        """Each line as it is kept or written anew, then further ones; `none` says that nothing is to be called."""
        from camphor.tools.call_formats import NO_CALL

        kept = []
        for line in lines:
            typed = ask(f"    {line}\n      > ").strip()
            if typed == "none":
                return [NO_CALL]
            if typed != "-":
                kept.append(typed or line)
        while typed := ask("      + ").strip():
            if typed == "none":
                return [NO_CALL]
            kept.append(typed)
        return kept

    def _note(
        self,
        asked: QueryToTeach,
        now: datetime,
        planned: PlannedCalls,
        verdict: PlanVerdict,
        correction: Correction | None,
    ) -> bool:
        from camphor.agents.calling.corrections import predicted
        from camphor.trajectories.recorder import Annotation

        plan = correction.plan if correction else None
        right = correction or predicted(planned, asked.query, self.mind.form, self.place.toolbox)
        self.recorder.add(
            Annotation(
                asked.query, planned.plan, verdict, plan, planned.tools, now, right.said,
                model=self.mind.name, adapter=self.mind.adapter, form=self.mind.form.value, problem=planned.problem,
            )
        )  # fmt: skip
        self.added += 1
        return True


def _export(source: Path, folder: Path, toolbox: Toolbox, json_: bool) -> None:
    from camphor.trajectories.recorder import Recorder, export, taught

    if not source.is_file():
        raise UsageError(f"{source}: there is no such file: name one that  camphor teach --out  wrote")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file: name a folder with --to")
    annotations = list(Recorder(source))
    found = taught(annotations, toolbox)
    for query, problem in found.unfit:
        typer.echo(clean(f"Left out: {query[:80]!r}: {problem}"), err=True)
    if not found.samples:
        raise CamphorError(f"{source} holds nothing to learn from: {found.refused} refused, {len(found.unfit)} unfit")
    export(annotations, toolbox, folder)
    if json_:
        told: dict[str, Any] = {"samples": len(found.samples), "refused": found.refused, "unfit": len(found.unfit)}
        print_json({**told, "folder": str(folder)})
        return
    samples = "1 sample" if len(found.samples) == 1 else f"{len(found.samples)} samples"
    functions = "1 function" if len(toolbox) == 1 else f"{len(toolbox)} functions"
    typer.echo(f"Wrote {samples} and {functions}: {folder} ({found.refused} refused)")
