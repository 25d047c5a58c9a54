"""The root command: its groups, and how every ending becomes an exit status and at most one line.

0    done
1    the request could not be met
2    wrong usage or bad input
130  stopped with Ctrl-C
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from camphor import __version__, lab
from camphor.cli import (
    ask,
    bring,
    call,
    config,
    consent,
    context,
    device,
    doctor,
    health_clinic,
    health_people,
    health_report,
    health_sos,
    health_talk,
    health_vitals,
    mcp,
    memory,
    models,
    serve,
    service,
    teach,
    tools,
)
from camphor.cli import health_medicines as medicines
from camphor.cli.health_phone import HealthGroup
from camphor.cli.text import clean
from camphor.errors import CamphorError

STOPPED = 130  # 128 + SIGINT, as shells count


class _Lab(TyperGroup):
    """The commands of the laboratory, which is loaded when one is asked for."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _lab()  # where it is not installed that is all there is to say, before any help
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        return list(_lab().list_commands(ctx))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return _lab().get_command(ctx, cmd_name)


@cache
def _lab() -> Any:
    return typer.main.get_command(lab.load("cli.root").app)


health = typer.Typer(
    cls=HealthGroup,
    help="Appointments, vitals, medicines and emergencies. It gives no diagnosis and no advice on treatment.",
    no_args_is_help=True,
)
for name, group in {
    "appointments": health_clinic.appointments,
    "complaints": health_clinic.complaints,
    "contacts": health_people.contacts,
    "doctors": health_people.doctors,
    "clinics": health_people.clinics,
    "numbers": health_people.numbers,
    "sos": health_sos.sos,
    "outbox": health_sos.outbox,
    "vitals": health_vitals.vitals_,
}.items():
    health.add_typer(group, name=name)
health.command()(medicines.prescription)
health.command()(medicines.medicines)
health.command()(medicines.doses)
health.command()(medicines.taken)
health.command()(medicines.snooze)
health.command()(medicines.skip)
health.command()(medicines.remind)
health.command()(health_report.report)
health.command()(health_report.export)
health.command()(health_talk.talk)
health.command("import")(health_vitals.import_)
health.command()(health_vitals.check)
health.command()(health_vitals.watch)
health.command()(health_vitals.units)
health.command()(health_vitals.demo)

app = typer.Typer(
    name="camphor",
    help="A private assistant that runs on your own machine.",
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for each in (ask.ask, ask.chat, serve.serve, mcp.mcp, call.call, teach.teach, bring.bring, doctor.doctor):
    app.command()(each)
app.add_typer(device.app, name="device")
app.add_typer(consent.app, name="consent")
app.add_typer(memory.app, name="memory")
app.add_typer(health, name="health")
app.add_typer(service.app, name="service")
app.add_typer(tools.app, name="tools")
app.add_typer(context.app, name="context")
app.add_typer(models.app, name="models")
app.add_typer(config.app, name="config")
app.add_typer(
    typer.Typer(cls=_Lab, no_args_is_help=True), name="lab", help="Make data, train and measure (package camphor-lab)."
)


def _tell_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"camphor {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    debug: Annotated[
        bool, typer.Option("--debug", help="Show a traceback when something fails; may stand anywhere.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_tell_version, is_eager=True, help="Tell the version and end.")
    ] = False,
) -> None:
    """A private assistant that runs on your own machine."""


def run(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` and return the exit status; errors become one line on standard error."""
    words = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in words[: words.index("--")] if "--" in words else "--debug" in words
    if debug:
        words.remove("--debug")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character still gets its line
    try:
        status = _invoke(words)
        sys.stdout.flush()
        return status
    except BaseException as error:
        if debug and not isinstance(error, SystemExit):
            import traceback

            traceback.print_exc()
        return _end(error)


def _invoke(words: list[str]) -> int:
    """Without the library's own `main`, which would print several lines and a blank one on Ctrl-C."""
    command: Any = typer.main.get_command(app)
    if words and words[0] in lab.COMMANDS:
        words = ["lab", *words]
    if words[:1] != ["lab"]:
        os.umask(0o077)  # what people keep and give out is theirs alone; data sets and models are for others
    try:
        if "_CAMPHOR_COMPLETE" in os.environ:  # a shell asks how its line could go on
            command.main(words, prog_name="camphor")
        with command.make_context("camphor", words) as context:
            command.invoke(context)
    except typer.Exit as ending:
        return ending.exit_code
    return 0


def _end(error: BaseException) -> int:
    """Tell an exception in one line and give its exit status."""
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return _tell(str(error) or "Stopped.", STOPPED)
    if isinstance(error, CamphorError):
        return _tell(str(error), error.exit_status)
    if hasattr(error, "format_message"):  # the command line could not be parsed
        text = str(error.format_message())
        if not text:  # a group without a command, whose help is shown already
            return 2
        return _tell(f"{text}{'' if text.endswith(('.', '?')) else '.'} See  camphor --help", 2)
    if isinstance(error, BrokenPipeError):  # whoever read us has gone, as in `camphor tools | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    if isinstance(error, OSError):
        return _tell(_system_error(error), 1)
    if isinstance(error, MemoryError):
        return _tell("There is not enough memory for this: close other programs, or use a smaller file", 1)
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else 1
    return _tell(
        f"This is a fault in camphor ({type(error).__name__}: {error}): run again with --debug and report it", 1
    )


def _system_error(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    if error.errno == errno.ENOSPC:
        return f"{where}the disk is full: free some space and run again, nothing recorded was lost"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"{where}may not be read or written: change its permissions, or set CAMPHOR_HOME to a folder of yours"
    return f"{where}{error.strerror or error}"


def _tell(text: str, status: int) -> int:
    sys.stderr.write(f"camphor: {' '.join(clean(text).split())}\n")
    return status
