"""`camphor consent`: what was agreed to or refused for good, and the stop of everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from camphor.cli.home import device_to_change, open_device
from camphor.cli.options import DeviceOption, JsonOption
from camphor.cli.text import print_json, print_table, say
from camphor.errors import UsageError

if TYPE_CHECKING:
    from camphor.device.device import Device

app = typer.Typer(help="Rules on which actions need no question, or are never done.", no_args_is_help=True)

ToolArgument = Annotated[str, typer.Argument(help="An action's name, as  camphor tools  tells it.")]
PersonOption = Annotated[str, typer.Option(help="A contact's name: the rule is on what reaches them alone.")]


@app.command("list")
def list_(device: DeviceOption = None, json_: JsonOption = False) -> None:
    """The rules of a device, and which actions are asked about each time whatever they say."""
    from contextlib import closing

    with closing(open_device(device)) as phone:
        rules = phone.consents.all()
        if json_:
            print_json([vars(rule) for rule in rules])
            return
        if not rules:
            say("There are no rules: every action asks.")
            return
        rows = [[rule.tool, rule.person or "anybody", rule.word.value, rule.since] for rule in rules]
        print_table(["action", "person", "rule", "since"], rows, phone.id)


@app.command()
def always(tool: ToolArgument, person: PersonOption = "", device: DeviceOption = None) -> None:
    """Do this without asking, where nothing is in doubt. What costs money, takes something away, reaches strangers or
    several, or holds what others wrote asks all the same."""
    from camphor.agents.consent import asks_each_time
    from camphor.device.consents import Word

    with device_to_change(device) as phone:
        name, who = _known(phone, tool, person)
        if asks_each_time(phone.toolbox.get(name)):
            raise UsageError(f"{name} costs money or takes something away: it is asked about each time")
        phone.consents.keep(name, who, Word.ALWAYS, phone.now.isoformat(timespec="seconds"))
        say(f"{name}{f' for {who}' if who else ''}: done without asking from now on")


@app.command()
def never(tool: ToolArgument, person: PersonOption = "", device: DeviceOption = None) -> None:
    """Never do this, whatever is asked."""
    from camphor.device.consents import Word

    with device_to_change(device) as phone:
        name, who = _known(phone, tool, person)
        phone.consents.keep(name, who, Word.NEVER, phone.now.isoformat(timespec="seconds"))
        say(f"{name}{f' for {who}' if who else ''}: never done from now on")


@app.command()
def revoke(tool: ToolArgument, person: PersonOption = "", device: DeviceOption = None) -> None:
    """Take a rule back: the action asks again."""
    with device_to_change(device) as phone:
        if not phone.consents.revoke(tool, person):
            known = ", ".join(f"{rule.tool} {rule.person}".strip() for rule in phone.consents.all()) or "none"
            raise UsageError(f"there is no such rule: the rules are {known}")
        say(f"{tool}: asks again")


@app.command()
def stop(device: DeviceOption = None) -> None:
    """Stop all actions, until  camphor consent go ."""
    from camphor.device.consents import EVERYTHING, Word

    with device_to_change(device) as phone:
        phone.consents.keep(EVERYTHING, "", Word.NEVER, phone.now.isoformat(timespec="seconds"))
        say("No action is done any more, whoever agrees to it, until  camphor consent go")


@app.command()
def go(device: DeviceOption = None) -> None:
    """Allow actions again after  stop ."""
    from camphor.device.consents import EVERYTHING

    with device_to_change(device) as phone:
        if not phone.consents.revoke(EVERYTHING):
            raise UsageError("actions were not stopped")
        say("Actions ask again, each by its rules")


def _known(phone: Device, tool: str, person: str) -> tuple[str, str]:
    """The action's and the person's names. Raises: UnknownTool, UsageError: there is none such."""
    from camphor.device.people import find_people
    from camphor.tools.tool import Kind

    found = phone.toolbox.get(tool)
    if found.kind is not Kind.ACTION:
        raise UsageError(f"{tool} only reads, and reading asks nobody")
    if not person:
        return found.name, ""
    people = find_people(person, phone.people())
    if len(people) != 1:
        told = "is no contact" if not people else f"may be {', '.join(str(each.get('name')) for each in people)}"
        raise UsageError(f"{person} {told}: give a contact's whole name")
    return found.name, str(people[0].get("name"))
