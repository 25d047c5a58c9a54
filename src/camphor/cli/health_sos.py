"""`camphor health sos` and `camphor health outbox`: help in an emergency, and the messages that it sends."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from camphor.cli.health_phone import HealthDeviceOption, health_phone, say
from camphor.cli.home import data_folder
from camphor.cli.options import JsonOption
from camphor.cli.text import fold, print_json, print_table
from camphor.errors import CamphorError, Refused, StoreError, UsageError

if TYPE_CHECKING:
    from camphor.health.emergency.delivery import Delivery
    from camphor.health.emergency.desk import Desk
    from camphor.health.emergency.sos import SosReport

sos = typer.Typer(
    help="Call for help: tells the nearest ambulance and your emergency contacts where you are. "
    "It is no replacement for the emergency number: call that too.",
    no_args_is_help=True,
)
outbox = typer.Typer(
    help="The messages of emergencies: what became of each; try again; say what you found out.",
    invoke_without_command=True,
)

DryOption = Annotated[bool, typer.Option("--dry-run", help="Show what would be sent to whom; write and send nothing.")]
WaitOption = Annotated[
    float, typer.Option("--wait", min=0, help="For so many seconds, try again what a service did not take.")
]
NumberArgument = Annotated[int, typer.Argument(metavar="NUMBER", help="Its number, as  outbox  tells it.")]


@sos.command("start")
def start(
    dry_run: DryOption = False, wait: WaitOption = 60, device: HealthDeviceOption = None, json_: JsonOption = False
) -> None:
    """Call for help now, without any question. Pressed again while it is active, it tells those who were not told.

    It ends with status 1 where somebody was not certainly told, and names them.

    \b
    camphor health sos start
    camphor health sos start --dry-run
    """
    from camphor.health.emergency.lines import GENERAL, emergency_number
    from camphor.health.emergency.wording import call_too

    try:
        with _help(device, dry_run, anyway=True) as opened:
            at, report = opened.start(dry_run)
            if not json_ and not dry_run:
                say(call_too(emergency_number(at.phone)) + ".")
            _finish(at, report, dry_run, wait, json_, starting=True)
    except StoreError as error:
        raise Refused(f"NOBODY was told: {error}. Call {GENERAL} yourself, now") from error


@sos.command("setup")
def setup(
    sms: Annotated[
        str | None, typer.Option("--sms", metavar="URL", help="An apprise URL that sends text messages, with {to}.")
    ] = None,
    email: Annotated[
        str | None, typer.Option("--email", metavar="URL", help="An apprise URL that sends e-mails, with {to}.")
    ] = None,
    test_to: Annotated[
        str, typer.Option("--test-to", metavar="ADDRESS", help="The number or address that gets the test message.")
    ] = "",
    device: HealthDeviceOption = None,
) -> None:
    """Set up who sends the messages of an emergency, with a test message; without options, say what is missing.

    A URL has {to} where the number or address belongs; the wiki of apprise lists the services. The URL may hold a
    password: `-` reads it from standard input, so that it stands in no list of processes.

    \b
    camphor health sos setup
    camphor health sos setup --email "mailtos://USER:PASSWORD@example.org?to={to}" --test-to me@example.org
    camphor health sos setup --sms - --test-to "+44 7700 900123"
    """
    from camphor.device.health.outbox import Channel
    from camphor.health.emergency.delivery import HandOverOutcome
    from camphor.health.emergency.desk import readiness, set_up
    from camphor.health.emergency.settings import FILE

    path = data_folder() / FILE
    given = {Channel.SMS: sms, Channel.EMAIL: email}
    chosen = [channel for channel, url in given.items() if url is not None]
    if not chosen and test_to:
        chosen = [Channel.EMAIL if "@" in test_to else Channel.SMS]
    if len(chosen) > 1:
        raise UsageError("Set up one of --sms and --email at a time: each has a test message of its own")
    with health_phone(device) as phone:
        for channel in chosen:
            url = given[channel] or ""
            handed = set_up(path, channel, sys.stdin.readline() if url == "-" else url, test_to)
            if handed.outcome is not HandOverOutcome.TAKEN:
                raise Refused(handed.problem)
            say(f"The test message by {channel.value} was taken: look whether it arrived")
        found = readiness(phone, path)
    say(f"In an emergency these are told: {', '.join(found.reached)}" if found.ready else "SOS is NOT set up")
    for each in found.missing:
        say(f"- {each}")
    if not found.ready:
        raise Refused(
            "Nobody would be told in an emergency: do what is missing, as  camphor health sos setup --help  shows"
        )


@sos.command("status")
def status(device: HealthDeviceOption = None, json_: JsonOption = False) -> None:
    """Tell whether an SOS is active, and what became of each of its messages."""
    with _help(device) as at:
        _tell(at, at.emergency.status(), json_)


@sos.command("update")
def update(
    note: Annotated[list[str] | None, typer.Argument(help="What is new, in your words.")] = None,
    dry_run: DryOption = False,
    wait: WaitOption = 60,
    device: HealthDeviceOption = None,
    json_: JsonOption = False,
) -> None:
    """Tell everybody where you are now, if that changed, and a note if you give one.

    \b
    camphor health sos update "I am at the back door"
    """
    with _help(device, dry_run) as at:
        _finish(at, at.emergency.update(" ".join(note or ()), dry_run), dry_run, wait, json_)


@sos.command("end")
def end(
    dry_run: DryOption = False, wait: WaitOption = 60, device: HealthDeviceOption = None, json_: JsonOption = False
) -> None:
    """Tell those who were told that no more help is needed; what has not gone out is taken back."""
    with _help(device, dry_run) as at:
        _finish(at, at.emergency.end(dry_run), dry_run, wait, json_)


@outbox.callback()
def outbox_(context: typer.Context, device: HealthDeviceOption = None, json_: JsonOption = False) -> None:
    """List the messages, oldest first, and how they would be delivered."""
    if context.invoked_subcommand is not None:
        return
    from camphor.health.emergency.desk import message_json, moment

    with _help(device) as at:
        at.emergency.outbox.cut_off()
        messages = at.emergency.outbox.messages()
    if json_:
        print_json([message_json(each) for each in messages])
        return
    rows = [
        [str(each.id), moment(each.written), each.draft.recipient, each.draft.address, fold(each.draft.text, 60),
         f"{each.state.value}{f' ({each.problem})' if each.problem else ''}"]
        for each in messages
    ]  # fmt: skip
    print_table(["", "written", "to", "address", "text", "state"], rows)
    for line in _delivery_lines(at.delivery):
        say(line)


@outbox.command("send")
def send(wait: WaitOption = 60, device: HealthDeviceOption = None) -> None:
    """Try again what waits."""
    with _help(device) as at:
        done = at.courier.send_all(wait)
        open_ = [each for each in at.emergency.outbox.messages() if each.state.value in ("waiting", "sending")]
    if not done or open_:
        raise Refused(f"{len(open_)} messages still wait: see  camphor health outbox  for the reasons")
    say("Nothing waits to be sent")


@outbox.command("settle")
def settle(
    number: NumberArgument,
    sent: Annotated[bool, typer.Option("--sent/--send-again", help="What you found out.")],
    device: HealthDeviceOption = None,
) -> None:
    """Say of a message whether it arrived, where camphor cannot know; it never sends such a one again by itself."""
    with _help(device) as at:
        message = at.emergency.outbox.settle(number, sent)
        if not sent:
            at.courier.send_due()
            message = at.emergency.outbox.get(number)
    say(f"Message {number} to {message.draft.recipient}: {message.state.value}")


# what they share


@contextmanager
def _help(spec: str | None, dry_run: bool = False, anyway: bool = False) -> Iterator[Desk]:
    from camphor.health.emergency.delivery import delivery_of
    from camphor.health.emergency.desk import IN_MEMORY, desk_of
    from camphor.health.emergency.settings import FILE

    delivery = delivery_of(data_folder() / FILE)
    with (
        health_phone(spec, change=not dry_run, anyway=anyway) as phone,
        desk_of(phone, delivery, dry_run=dry_run, anyway=anyway) as at,
    ):
        unkept = anyway and not dry_run and phone.path is None
        yield replace(at, problem=f"The phone's own file cannot be opened. {IN_MEMORY}") if unkept else at


def _finish(at: Desk, report: SosReport, dry_run: bool, wait: float, json_: bool, starting: bool = False) -> None:
    """Send what was written, tell what came of it, and end with the status that says so."""
    if dry_run:
        _tell(at, report, json_)
        return
    from camphor.health.emergency.wording import message_line

    done = at.courier.send_all(0)
    report = at.now(report)
    if not json_:
        _tell(at, report, json_)
    if not done and wait > 0:
        if not json_:
            say(f"Trying again for {wait:g} seconds; Ctrl-C stops that, and what waits stays in the outbox")
        at.courier.send_all(wait)
        report = at.now(report)
        for message in () if json_ else report.messages:
            say(f"  {message_line(message)}")
    if json_:
        _tell(at, report, json_)
    if report.sos is None:
        raise Refused(report.problems[0])
    _own_up(at, report, starting)


def _own_up(at: Desk, report: SosReport, starting: bool) -> None:
    """Raises Refused: somebody who is to be told was not, or it is not certain."""
    from camphor.health.emergency.desk import not_told
    from camphor.health.emergency.lines import emergency_number
    from camphor.health.emergency.wording import nobody_told

    active = report.sos is not None and report.sos.state.value == "active"
    # of an end nobody needs to hear who was never told
    lost = not_told([each for each in report.messages if active or each.state.value != "kept"])
    told = any(each.state.value == "sent" for each in report.messages)
    if active and not told and (lost or starting):
        raise Refused(nobody_told(lost, emergency_number(at.phone)))
    if lost:
        names = ", ".join(lost)
        raise Refused(f"Not certainly told: {names}. Call them; or try again with  camphor health outbox send")


def _tell(at: Desk, report: SosReport, json_: bool) -> None:
    from camphor.health.emergency.desk import report_json
    from camphor.health.emergency.wording import message_line

    problems = [each for each in (at.problem, *report.problems) if each]
    if json_:
        print_json(report_json(report, problems))
        return
    if report.sos is not None:
        ended = f", ended {report.sos.ended}" if report.sos.ended else ""
        say(f"SOS {report.sos.id} is {report.sos.state.value}: begun {report.sos.started}{ended}")
    elif not report.drafts and not problems:
        say("No SOS was ever begun on this phone")
    for draft in report.drafts:
        say(f"Would be sent to {draft.recipient}, {draft.address} ({draft.channel.value}): {draft.text}")
    for message in report.messages:
        say(f"  {message_line(message)}")
    if report.withdrawn:
        say(f"{report.withdrawn} messages were taken back before they went out")
    for problem in problems if report.sos or report.drafts else ():
        say(f"! {problem}")
    if any(message.state.value == "kept" for message in report.messages) or (
        report.drafts and not at.delivery.channels
    ):
        say(_delivery_lines(at.delivery)[0])
    if report.sos is not None and report.sos.state.value == "active":
        from camphor.health.emergency.lines import emergency_numbers

        if at.delivery.channels and any(each.state.value in ("kept", "given up") for each in report.messages):
            say("Tell those who were not told:  camphor health sos start")
        say("Call:  " + ",  ".join(f"{each.name} {each.number}" for each in emergency_numbers(at.phone)))


def _delivery_lines(delivery: Delivery) -> list[str]:
    """How messages are delivered, and what is wrong with that; the first line says how."""
    from camphor.health.emergency.delivery import AppriseDelivery, BrokenDelivery
    from camphor.health.emergency.settings import FILE, open_to_others

    path = data_folder() / FILE
    if not delivery.channels:
        return ["No delivery is set up, so nobody is told: set it up with  camphor health sos setup"]
    if isinstance(delivery, BrokenDelivery):
        return [f"Nothing can be delivered: {delivery.problem}"]
    lines = [f"Delivered by {', '.join(sorted(each.value for each in delivery.channels))}, as {path} says"]
    if open_to_others(path):
        lines.append(f"! Others on this machine can read the passwords in it: run  chmod 600 '{path}'")
    try:
        if isinstance(delivery, AppriseDelivery):
            delivery.prepare()
    except CamphorError as error:
        lines.append(f"! {error}")
    return lines
