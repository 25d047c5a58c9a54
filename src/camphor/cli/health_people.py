"""`camphor health contacts`, `doctors`, `clinics` and `numbers`: whom a person keeps for their health."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.health_phone import HealthDeviceOption, check_number, health_phone, say, show_numbered
from camphor.cli.options import JsonOption, NumberArgument, PhoneNumberArgument, SpecialistOption
from camphor.cli.text import print_json, print_table
from camphor.errors import CamphorError, UsageError

if TYPE_CHECKING:
    from camphor.device.device import Device

contacts = typer.Typer(help="Who is told in an emergency: list, add, import, remove.", no_args_is_help=True)
doctors = typer.Typer(help="Your doctors: list, add, import, remove.", no_args_is_help=True)
clinics = typer.Typer(help="Your clinics, practices and hospitals: list, add, import, remove.", no_args_is_help=True)
numbers = typer.Typer(help="Numbers to call, beside your country's emergency number.", no_args_is_help=True)

NameArgument = Annotated[str, typer.Argument(help="Who it is.")]
PhoneArgument = Annotated[str, typer.Argument(metavar="PHONE", help="The phone number.")]
FileArgument = Annotated[Path, typer.Argument(help="A vCard file (.vcf), as address books export it.")]
OnlyOption = Annotated[
    list[str] | None, typer.Option("--only", help="Somebody in the file, by name; may be given again.")
]
AllOption = Annotated[bool, typer.Option("--all", help="Everybody in the file.")]
AddressOption = Annotated[str, typer.Option("--address", help="Where it is.")]


@contacts.command("list")
def list_contacts(device: HealthDeviceOption = None, json_: JsonOption = False) -> None:
    """List who is told in an emergency. Who has neither a number nor an address cannot be reached."""
    rows = _list(device, "emergency_contacts", ("name", "phone_number", "email"), json_)
    lacking = [str(row.get("name")) for row in rows if not row.get("phone_number")]
    if lacking and not json_:
        say(f"Without a phone number, and so not told by message: {', '.join(lacking)}")


@contacts.command("add")
def add_contact(
    name: NameArgument,
    number: PhoneNumberArgument = "",
    email: Annotated[str, typer.Option(help="The e-mail address.")] = "",
    device: HealthDeviceOption = None,
) -> None:
    """Add an emergency contact.

    \b
    camphor health contacts add "Tom Reed" "+44 7700 900123"
    """
    _add(device, "emergency_contacts", name=name, phone_number=number, email=email)


@doctors.command("list")
def list_doctors(device: HealthDeviceOption = None, json_: JsonOption = False) -> None:
    """List your doctors."""
    _list(device, "specialists", ("name", "specialization", "phone_number", "address"), json_)


@doctors.command("add")
def add_doctor(
    name: NameArgument,
    number: PhoneNumberArgument = "",
    kind: SpecialistOption = "general physician",
    address: AddressOption = "",
    device: HealthDeviceOption = None,
) -> None:
    """Add a doctor.

    \b
    camphor health doctors add "Dr. Ada Ode" "+44 20 7946 0123" --kind dentist
    """
    _add(device, "specialists", name=name, phone_number=number, specialization=kind, address=address)


@clinics.command("list")
def list_clinics(device: HealthDeviceOption = None, json_: JsonOption = False) -> None:
    """List your clinics, practices and hospitals."""
    _list(device, "clinics", ("name", "phone_number", "address"), json_)


@clinics.command("add")
def add_clinic(
    name: NameArgument, number: PhoneArgument, address: AddressOption = "", device: HealthDeviceOption = None
) -> None:
    """Add a clinic, a practice or a hospital.

    \b
    camphor health clinics add "Hill Practice" "+44 20 7946 0124" --address "1 Hill St"
    """
    _add(device, "clinics", name=name, phone_number=number, address=address)


@numbers.command("list")
def list_numbers(device: HealthDeviceOption = None, json_: JsonOption = False) -> None:
    """List whom to call: your country's emergency number, and those that you added."""
    from camphor.health.emergency.lines import emergency_numbers

    with health_phone(device) as phone:
        first = emergency_numbers(phone)[0]
    if not json_:
        say(f"{first.name}: {first.number}")
        _list(device, "emergency_numbers", ("name", "phone_number"), False)
        return
    with health_phone(device) as phone:
        print_json([{"name": each.name, "phone_number": each.number} for each in emergency_numbers(phone)])


@numbers.command("add")
def add_number(name: NameArgument, number: PhoneArgument, device: HealthDeviceOption = None) -> None:
    """Add a number to call, such as a midwife's or a line for poisons.

    \b
    camphor health numbers add "Midwife" "+44 20 7946 0125"
    """
    _add(device, "emergency_numbers", name=name, phone_number=number)


def _import_of(name: str) -> Callable[..., None]:
    def import_(
        file: FileArgument, only: OnlyOption = None, all_: AllOption = False, device: HealthDeviceOption = None
    ) -> None:
        """Take some of an address book in: without --only and --all it lists who is in the file, and takes nobody.

        \b
        camphor health contacts import contacts.vcf
        camphor health contacts import contacts.vcf --only "Tom Reed"
        """
        _import(device, name, file, only or [], all_)

    return import_


def _remove_of(name: str) -> Callable[..., None]:
    def remove(number: NumberArgument, device: HealthDeviceOption = None) -> None:
        """Remove one."""
        from camphor.health import people

        with health_phone(device, change=True) as phone:
            rows = _rows(phone, name)
            check_number(number, len(rows))
            gone = people.remove(phone, people.KeptList(name), rows[number - 1][0])
        say(f"Removed: {gone.get('name')}")

    return remove


GROUPS = {
    "contacts": "emergency_contacts", "doctors": "specialists", "clinics": "clinics", "numbers": "emergency_numbers",
}  # fmt: skip
"""The list of the clinic app that each group of commands is about."""

for _group, _name in zip((contacts, doctors, clinics, numbers), GROUPS.values(), strict=True):
    if _group is not numbers:
        _group.command("import")(_import_of(_name))
    _group.command("remove")(_remove_of(_name))


# what they share


def _add(device: str | None, kind: str, /, **said: str) -> None:
    from camphor.health import people

    with health_phone(device, change=True) as phone:
        kept = people.add(phone, people.KeptList(kind), people.PersonEntry(**said))
    say(f"Added: {', '.join(str(kept[each]) for each in ('name', 'phone_number', 'email') if kept.get(each))}")


def _import(device: str | None, name: str, file: Path, only: list[str], all_: bool) -> None:
    from camphor.device.text import words
    from camphor.health import people
    from camphor.health.people import read_cards

    book, kind = read_cards(file), people.KeptList(name)
    cards = book.cards
    wanted = {words(each): each for each in only}
    chosen = [card for card in cards if all_ or words(card.name) in wanted]
    if not chosen and not only:
        rows = [[card.name, ", ".join(card.numbers), ", ".join(card.emails), card.organisation] for card in cards]
        print_table(["name", "phone", "e-mail", "organisation"], rows)
        if book.left_out:
            say(book.left_out)
        say('Nobody was taken in: name them with  --only "NAME",  or take everybody with  --all')
        return
    lacking = [said for folded, said in wanted.items() if all(words(card.name) != folded for card in chosen)]
    if lacking:
        raise UsageError(f"Nobody in {file} is called {', '.join(lacking)}: without --only it lists who is in it")
    added, faults = 0, []
    with health_phone(device, change=True) as phone:
        for card in chosen:
            try:
                people.add(phone, kind, people.of_card(card, kind))
                added += 1
            except UsageError as error:
                faults.append(f"{card.name}: {error}")
    say(f"Added {added} of {len(chosen)}")
    for fault in faults:
        say(f"! {fault}")
    if all_ and book.left_out:
        say(f"! {book.left_out}")
    if not added:
        raise CamphorError("Nobody was added: see the reasons above")


def _list(device: str | None, name: str, fields: tuple[str, ...], json_: bool) -> list[dict[str, Any]]:
    with health_phone(device) as phone:
        rows = phone.records("clinic", name) if "clinic" in phone.apps else []
    if not rows and not json_:
        group = next(each for each, kept in GROUPS.items() if kept == name)
        say(f"There are none: add one with  camphor health {group} add NAME PHONE")
    else:
        show_numbered(list(enumerate(rows, 1)), fields, json_)
    return rows


def _rows(phone: Device, name: str) -> list[tuple[int, Any]]:
    """The records of a list with their places in it, for good."""
    from camphor.device.apps.clinic import Clinic

    if "clinic" not in phone.apps:
        return []
    with phone.changing(Clinic) as clinic:
        return list(clinic.records.rows(name))
