"""Words that leave this process for a server: the person is told where to, and says once what may go with them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from camphor.cli.text import ask, clean, is_attended
from camphor.device.sharing import (
    HERE,
    NO_APPS,
    can_be_shared,
    keep_rule,
    proposed,
    read_rules,
    rule_for,
    withheld,
)
from camphor.errors import UsageError
from camphor.models.destination import Destination, destination_of

if TYPE_CHECKING:
    from camphor.agents.sharing import SharedPhone
    from camphor.device.device import Device

_TRIES = 3


def tell_destination(model: str | None) -> Destination | None:
    """Say on standard error who reads the words, before the first of them goes; nothing where they stay.

    Raises:
        UsageError: an address that cannot be used.
    """
    destination = destination_of(model)
    if destination is not None:
        style = "bold yellow" if destination.computer else "cyan"
        _line(f"{'! ' if destination.computer else ''}{destination.told}", style)
    return destination


def part_to_share(device: Device, spec: str, destination: Destination | None) -> SharedPhone:
    """The phone as the model may see it. Of another computer the person is asked once, and the answer is kept.

    Where nobody can be asked nothing is shared, and that is said.

    Args:
        spec: how the person calls the phone.

    Raises:
        UsageError: what is kept of it is damaged, or the person's answers name no apps. StoreError: nor can it be kept.
    """
    from camphor.agents.sharing import SharedPhone, shared_phone

    if destination is None:
        return SharedPhone(device)
    rules = read_rules(device.path)
    computer = destination.computer
    if computer is not None and rule_for(rules, computer) is None:
        if is_attended():
            rules[computer] = _asked(device, computer)
            if device.path is not None:
                keep_rule(device.path, computer, rules[computer])
        else:
            told = f"camphor device share {spec} --with {computer} --apps NAMES"
            if device.path is None:
                told = "for a rule that is kept, first  camphor device import FILE"
            _line(f"  Nothing of {spec} is shown to it, as nobody has said what may be:  {told}", "yellow")
    return shared_phone(device, rules, computer)


def check_shared(device: Device, model: str | None, needed: Sequence[str]) -> None:
    """For what cannot work without these apps. Raises UsageError: the model's computer may not see all of them."""
    destination = destination_of(model)
    if destination is None:
        return
    hidden = withheld([*device.apps, *needed], read_rules(device.path), destination.computer)
    if missing := [each for each in needed if each in hidden]:
        raise UsageError(
            f"{destination.computer or HERE} may not see {' and '.join(missing)} of {device.id}: allow it first with  "
            f"camphor device share {device.id} --with {destination.computer or HERE} --apps {','.join(needed)}"
        )


def read_apps(text: str, apps: Sequence[str]) -> tuple[str, ...]:
    """Names with commas between, `usual`, `all` or `none`, as what may be shared of a phone with these apps.

    Raises:
        UsageError: one of them cannot be shared.
    """
    wanted = [each.strip().casefold() for each in text.split(",") if each.strip()]
    if wanted == ["all"]:
        return can_be_shared(apps)
    if wanted == ["usual"]:
        return proposed(apps)
    if wanted == ["none"]:
        return ()
    known = can_be_shared(apps)
    if not wanted or (unknown := next((each for each in wanted if each not in known), "")):
        what = f"there is no {unknown[:80]!r}" if wanted else "nothing was named"
        raise UsageError(f"What may be shared: {what}: name some of {', '.join(known)}, or usual, all or none")
    return tuple(each for each in known if each in wanted)


def _asked(device: Device, computer: str) -> frozenset[str]:
    usual = ", ".join(proposed(device.apps))
    others = ", ".join(f"{name} ({about})" for name, about in NO_APPS.items())
    _line(f"  {computer} answers better the more of {device.owner or device.id}'s phone it may see.", "")
    _line(f"  Apps: {', '.join(device.apps)}. Beside them: {others}.", "dim")
    for _ in range(_TRIES):
        typed = ask(f"  Which may it see? Names, all, none, or Enter for: {usual}\n  > ").strip()
        try:
            return frozenset(read_apps(typed or "usual", device.apps))
        except UsageError as error:
            _line(f"  ! {error}", "yellow")
    raise UsageError("Nothing was decided and nothing sent: see  camphor device share --help")


def _line(text: str, style: str) -> None:
    Console(file=sys.stderr).print(Text(clean(text), style=style), soft_wrap=True, highlight=False)
