"""`camphor service`: the background process that reminds, looks at readings and brings messages away."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.home import data_folder, kept_devices, store_path
from camphor.cli.options import JsonOption
from camphor.cli.text import clean, print_json, print_table, say
from camphor.errors import Refused, UsageError

if TYPE_CHECKING:
    from camphor.service.loop import Loop
    from camphor.service.state import Places, ServiceState

app = typer.Typer(
    help="The background process that reminds of doses, looks at readings and brings the messages of an emergency "
    "away. Without it the web app does the same as long as it runs.",
    no_args_is_help=True,
)
channels = typer.Typer(help="Where you are reminded: add, test, list, remove.", no_args_is_help=True)
app.add_typer(channels, name="channels")
PlaceArgument = Annotated[str, typer.Argument(metavar="NAME", help="Its name, such as  watch.")]


@app.command("run")
def run(
    once: Annotated[bool, typer.Option("--once", help="Look once and end; says what was told.")] = False,
) -> None:
    """Look after all your phones until Ctrl-C; `install` lets your system do this.

    \b
    camphor service run
    """
    from camphor.service.state import hold, other

    if (found := other(_folder())) and found.kind == "service":
        raise Refused(f"The service runs already (process {found.process}): nothing was begun")
    loop = loop_for(None, kind="command" if once else "service")
    if once:
        loop.look()
        return
    if not hold(_folder()):
        raise Refused("The service runs already: nothing was begun")
    say("Looking after your phones; Ctrl-C ends it")
    loop.run()


@app.command("status")
def status(json_: JsonOption = False) -> None:
    """Say what runs, when it last looked, what is due next, and where you are reminded."""
    from camphor.service.loop import unit_for

    state = state_now()
    if json_:
        print_json(state_json(state))
        return
    say(state.says())
    if state.runs is None:
        say("Start it with  camphor service run,  or let your system do it:  camphor service install")
    with suppress(UsageError):  # a system that starts no services
        unit = unit_for()
        say(f"Started with your session: {'yes' if unit.installed else 'no'} ({unit.path})")
    for phone in state.phones:
        if phone.still:
            say(f"{phone.name}: its clock stands still, so nothing falls due on it")
        elif phone.at is not None:
            say(f"{phone.name}: next at {phone.at:%H:%M on %d %B}: {phone.next}")
        for waiting in phone.waiting:
            say(f"{phone.name}: waits for your word: {waiting}")
    rows = [
        [each["name"], each["kind"], each["problem"] or ("on" if each["on"] else "switched off")]
        for each in state.places()
    ]
    print_table(["you are reminded by", "", ""], rows)
    for name, way in state.settings.ways.items():
        say(f"Messages to others by {name}: {f'tested {way.tested}' if way.tested else 'NOT tested'}")
    for problem in state.problems:
        say(f"! {problem}")


@app.command("install")
def install(
    show: Annotated[bool, typer.Option("--show", help="Show the file and write nothing.")] = False,
) -> None:
    """Write what lets your system start the service with your session: systemd on Linux, launchd on macOS."""
    from camphor.service.loop import unit_for

    unit = unit_for()
    if show:
        sys.stdout.write(unit.content.decode())
        return
    unit.install()
    say(f"Written: {unit.path}\nStart it now, and from now on with your session:")
    for line in unit.start:
        say(f"  {line}")
    if unit.note:
        say(unit.note)


@app.command("uninstall")
def uninstall() -> None:
    """Remove what `install` wrote."""
    from camphor.service.loop import unit_for

    unit = unit_for()
    if not unit.uninstall():
        raise Refused(f"Nothing was installed: there is no {unit.path}")
    say(f"Removed: {unit.path}\nWhere it runs still, stop it:")
    for line in unit.stop:
        say(f"  {line}")


@app.command("test")
def test() -> None:
    """Ring every place where you are reminded, and say what came of it. Status 1: none of them rang."""
    _ring(None)


@app.command("reminders")
def reminders(
    desktop: Annotated[bool | None, typer.Option("--desktop/--no-desktop", help="Whether the desktop rings.")] = None,
    nag: Annotated[
        bool | None, typer.Option("--nag/--once", help="Again and again until you say what became of a dose, or once.")
    ] = None,
    every: Annotated[int | None, typer.Option("--every", min=1, max=720, help="Minutes between reminders.")] = None,
    report: Annotated[str | None, typer.Option("--report", help="When to tell of the day's report; or never.")] = None,
) -> None:
    """Say how you want to be reminded; without options, show it.

    \b
    camphor service reminders --nag --every 15 --report 21:00
    """
    from camphor.health.emergency.settings import clock, read_settings, set_wishes

    wishes = read_settings(_settings()).wishes
    said: dict[str, Any] = {"desktop": desktop, "nag": nag, "every": every}
    wished = replace(wishes, **{name: value for name, value in said.items() if value is not None})
    if report is not None:
        wished = replace(wished, report=clock(report))
    if wished != wishes:
        set_wishes(_settings(), wished)
    pause = "every minute" if wished.every == 1 else f"every {wished.every} minutes"
    again = f"{pause} until you say what became of it" if wished.nag else "once"
    say(f"A dose is reminded of {again}; the desktop {'rings' if wished.desktop else 'does not ring'}")
    say(f"The day's report is told at {wished.report:%H:%M}" if wished.report else "The day's report is never told")


@channels.command("list")
def list_channels(json_: JsonOption = False) -> None:
    """List where you are reminded. Of a URL only the kind of service is shown."""
    places = state_now().places()
    if json_:
        print_json(places)
        return
    print_table(["", "", ""], [[each["name"], each["kind"], each["problem"]] for each in places])


@channels.command("add")
def add_channel(
    name: PlaceArgument,
    url: Annotated[str, typer.Argument(help="An apprise URL; `-` reads it from standard input, as it may be secret.")],
) -> None:
    """Add a place where you are reminded: any service that apprise knows. It then sees your reminders.

    \b
    camphor service channels add watch ntfys://ntfy.sh/a-topic-nobody-guesses
    camphor service channels add mail - < url.txt
    """
    from camphor.health.emergency.delivery import understood
    from camphor.health.emergency.settings import set_place

    told = (sys.stdin.readline() if url == "-" else url).strip()
    if "://" not in told or not understood(told):
        raise UsageError("apprise does not understand this url: its wiki lists the services and their urls")
    set_place(_settings(), name, told)
    say(f"Added: {name}. Try it with  camphor service channels test {name}")


@channels.command("test")
def test_channel(name: PlaceArgument) -> None:
    """Ring one place."""
    _ring(name)


@channels.command("remove")
def remove_channel(name: PlaceArgument) -> None:
    """Remove a place."""
    from camphor.health.emergency.settings import remove

    remove(_settings(), name)
    say(f"Removed: {name}")


# what they share


def loop_for(phones: Mapping[str, Path] | None, kind: str = "command", stand_by: bool = False) -> Loop:
    """A loop over these phones, or all that are kept."""
    from camphor.service.loop import Loop

    def complain(text: str) -> None:
        sys.stderr.write(f"camphor: {clean(text)}\n")

    known = kept_phones if phones is None else lambda: phones
    return Loop(known, _folder(), _settings(), kind=kind, stand_by=stand_by, told=complain)


def kept_phones() -> dict[str, Path]:
    """The store of each kept phone, by name."""
    return {name: store_path(name) for name in kept_devices()}


def places_now() -> Places:
    """Where the person is reached now."""
    from camphor.service.state import Desktop, Places

    desktop = Desktop()
    return Places.read(_settings(), desktop, not desktop.problem())


def state_now() -> ServiceState:
    """What the service does now."""
    from camphor.service.state import Desktop, state_of

    return state_of(kept_phones(), _folder(), _settings(), Desktop())


def state_json(state: ServiceState) -> dict[str, Any]:
    """It as JSON, without a part of any URL but its scheme."""
    runs = state.runs
    return {
        "runs": runs and {"kind": runs.kind, "process": runs.process, "last": runs.last, "phones": list(runs.phones)},
        "says": state.says(),
        "phones": [vars(each) for each in state.phones],
        "places": state.places(),
        "ways": {name.value: way.tested for name, way in state.settings.ways.items()},
        "problems": list(state.problems),
    }


def said_of_service() -> str:
    """Whether anything reminds of what was kept, in a sentence."""
    state = state_now()
    if state.runs is None:
        return "Nothing runs that would remind you: start it with  camphor service run,  or  camphor service install"
    return f"You are reminded: {state.says()[0].lower()}{state.says()[1:]}"


def _ring(name: str | None) -> None:
    from camphor.health.emergency.delivery import Handed, HandOverOutcome
    from camphor.service.state import DESKTOP, rings

    places = places_now()
    if places.problem:
        raise UsageError(places.problem)
    if not places.shows and name in (None, DESKTOP):
        say(f"{DESKTOP}: {places.desktop.problem()}")
    if name is not None and name not in places.names:
        raise Refused(f"{name[:60]!r} is no place that can ring now: see  camphor service channels list")

    def show(place: str, handed: Handed) -> None:
        say(f"{place}: {'rang' if handed.outcome is HandOverOutcome.TAKEN else handed.problem}")

    if not rings(places, show, name):
        raise Refused("Nothing rang: add a place with  camphor service channels add NAME URL")


def _folder() -> Path:
    folder = data_folder()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _settings() -> Path:
    from camphor.health.emergency.settings import FILE

    return _folder() / FILE
