"""`camphor device share`: which apps of a phone the model of a server may see."""

from __future__ import annotations

import re
from contextlib import closing
from typing import Annotated, Any

import typer

from camphor.cli.home import DEMO, device_to_change, open_device
from camphor.cli.leaving import read_apps
from camphor.cli.options import AnyDeviceArgument, PrintJsonOption
from camphor.cli.text import print_json, print_table, say
from camphor.device.sharing import HERE, NO_APPS, OTHERS, can_be_shared, keep_rule, read_rules
from camphor.errors import UsageError
from camphor.models.destination import is_this_computer, server_address

_NAME = re.compile(r"[a-z0-9:][a-z0-9.:_-]{0,252}")


def share(
    device: AnyDeviceArgument = DEMO,
    with_: Annotated[
        str | None,
        typer.Option(
            "--with", metavar="HOST", help=f"A computer's name or address, {HERE}, or {OTHERS}: those without a rule."
        ),
    ] = None,
    apps: Annotated[
        str | None,
        typer.Option(
            help=f"Names with commas between, {', '.join(NO_APPS)} among them; usual (all but health and memory), "
            "all, or none."
        ),
    ] = None,
    forget: Annotated[bool, typer.Option("--forget", help="Forget what was said of it: you are asked again.")] = False,
    json_: PrintJsonOption = False,
) -> None:
    """Say which apps of a phone a server's model may see; without options, tell what was said.

    The embedded model and GGUF files run in this process and see everything; so do servers on this computer unless
    told otherwise. Another computer sees nothing before you have said what it may.

    \b
    camphor device share ines-dublin
    camphor device share ines-dublin --with 192.168.1.5 --apps contacts,calendar,place
    camphor device share ines-dublin --with others --apps none
    """
    if with_ is None:
        if apps is not None or forget:
            raise UsageError(f"Say with whom:  --with HOST, {HERE} or {OTHERS}")
        _show(device, json_)
        return
    if (apps is None) != forget:
        raise UsageError("Say what may be shared with it as  --apps NAMES, or  --forget  what was said, and not both")
    computer = computer_named(with_)
    with device_to_change(device) as phone:
        assert phone.path is not None
        wanted = None if apps is None else read_apps(apps, phone.apps)
        keep_rule(phone.path, computer, wanted)
    if wanted is None:
        say(f"Forgotten what {computer} may see of {device}")
        return
    say(f"Of {device} {computer} may see: {', '.join(wanted) or 'nothing'}")


def computer_named(text: str) -> str:
    """The key of a computer's rule: of a name, an address with or without its port, or a server's whole address.

    Raises:
        UsageError: it is none of these.
    """
    word = text.strip().casefold()
    if word in (HERE, OTHERS):
        return word
    host = server_address(word.partition("#")[0] if "://" in word else f"http://{_bracketed(word)}").hostname or ""
    host = host.rstrip(".")
    if is_this_computer(host):
        return HERE
    if not _NAME.fullmatch(host):
        raise UsageError(f"{text[:80]!r} is no computer: give a name or an address, such as 192.168.1.5")
    return host


def _bracketed(host: str) -> str:
    return f"[{host}]" if host.count(":") > 1 and not host.startswith("[") else host


def _show(spec: str, json_: bool) -> None:
    with closing(open_device(spec)) as phone:
        rules, apps = read_rules(phone.path), phone.apps
    rules.setdefault(HERE, frozenset(can_be_shared(apps)))
    if json_:
        told: dict[str, Any] = {key: sorted(value) for key, value in rules.items()}
        print_json({"device": spec, "rules": told, "can_be_shared": can_be_shared(apps)})
        return
    order = sorted(rules, key=lambda each: (each != HERE, each == OTHERS, each))
    rows = [[each, _names(rules[each], apps)] for each in order]
    if OTHERS not in rules:
        rows.append(["any other computer", "nothing, until you are asked"])
    print_table(["with", "may be seen"], rows, spec)


def _names(shared: frozenset[str], apps: tuple[str, ...]) -> str:
    every = can_be_shared(apps)
    kept = [each for each in every if each in shared]
    return "everything" if len(kept) == len(every) else ", ".join(kept) or "nothing"
