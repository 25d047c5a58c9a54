"""`camphor health appointments` and `complaints`: what the clinic app keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.health_phone import HealthDeviceOption, check_number, health_phone, say, show_numbered
from camphor.cli.options import JsonOption, NumberArgument, SpecialistOption, WordsArgument
from camphor.cli.text import agrees, is_attended
from camphor.errors import Refused, UsageError
from camphor.types import Call

if TYPE_CHECKING:
    from camphor.device.apps.clinic import Clinic
    from camphor.device.device import Device
    from camphor.device.health.appointments import Own
    from camphor.device.text import Record

appointments = typer.Typer(help="Your appointments: list, add, book, cancel.", no_args_is_help=True)
complaints = typer.Typer(help="What you complained of: list, add, remove.", no_args_is_help=True)


# appointments


@appointments.command("list")
def list_appointments(
    all_: Annotated[bool, typer.Option("--all", help="Also those that are over or cancelled.")] = False,
    device: HealthDeviceOption = None,
    json_: JsonOption = False,
) -> None:
    """List the appointments that are to come."""
    with health_phone(device) as phone:
        rows = [(number, row) for number, row in _rows(phone, "appointments") if all_ or _ahead(phone, row)]
        rows.sort(key=lambda pair: (str(pair[1].get("date")), str(pair[1].get("time"))))
    if not rows and not json_:
        say("No appointment lies ahead: keep one that you made with  camphor health appointments add NAME WHEN")
        return
    show_numbered(rows, ("date", "time", "name", "specialization", "symptoms", "state"), json_)


@appointments.command("add")
def add_appointment(
    name: Annotated[str, typer.Argument(help="With whom.")],
    at: Annotated[
        str, typer.Argument(metavar="WHEN", help="Day and time, as 2026-12-03T09:30 or  next Thursday at 9:30.")
    ],
    minutes: Annotated[int, typer.Option("--minutes", min=1, max=1440, help="How long.")] = 30,
    kind: SpecialistOption = "",
    about: Annotated[str, typer.Option("--for", help="What it is for.")] = "",
    device: HealthDeviceOption = None,
) -> None:
    """Keep an appointment that you have made yourself.

    \b
    camphor health appointments add "Dr. Ode" 2026-12-03T09:30 --minutes 20 --kind dentist
    """
    from camphor.health import people

    with health_phone(device, change=True) as phone:
        begin = people.moment_of(at, phone)
        kept = people.add_appointment(phone, name, begin, minutes, kind, about)
        over = not _ahead(phone, kept)
    say(f"Kept: {kept['name']}, {kept['time']} on {begin:%A} {kept['date']}")
    if over:
        say("! That is over by the phone's clock: it is listed with  camphor health appointments list --all")


@appointments.command("book")
def book(
    specialization: Annotated[str, typer.Argument(help="The kind of specialist, such as  cardiologist.")],
    symptoms: Annotated[str, typer.Option(help="What the appointment is for.")] = "",
    day: Annotated[str | None, typer.Option("--day", help="The day, such as 2026-05-21 or  next Thursday.")] = None,
    hours: Annotated[str | None, typer.Option("--hours", help="The hours, such as 09:00-12:00.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Take the slot that is found without asking.")] = False,
    device: HealthDeviceOption = None,
) -> None:
    """Book the free slot that suits best: at your preferred times where there is one soon, or else the first.

    \b
    camphor health appointments book dermatologist --day "next Friday"
    """
    from camphor.device.health.slots import slot_of

    schedule = {key: value for key, value in (("date", day), ("time_range", hours)) if value}
    with health_phone(device, change=True) as phone:
        if not _rows(phone, "slots"):  # a doctor that was added by hand has none
            raise UsageError(
                "No doctor on this phone offers slots to book: call yours, as  camphor health doctors list  has them, "
                "and keep the appointment with  camphor health appointments add NAME WHEN"
            )
        asked = {"symptoms": symptoms or specialization, "specialization": specialization}
        try:
            found = _call(phone, "get_available_specialists", asked | ({"user_schedule": schedule} if schedule else {}))
        except UsageError as error:
            _, unknown, kinds = str(error).partition("expected one of ")
            if not unknown:
                raise
            raise UsageError(f"No {specialization} offers slots on this phone: there are {kinds}") from None
        if not found:
            raise UsageError(f"No {specialization} has a free slot: look again later, or choose another specialist")
        slot = str(slot_of(found[0]["available_slot"]))
        _sure(f"{found[0]['name']} is free at {slot}.", yes)
        where = {
            "user_id": _user(phone),
            "specialist_id": found[0]["specialist_id"],
            "appointment_time_date": slot,
        }
        _call(phone, "book_appointment", where)
        if symptoms:
            _call(phone, "save_appointment_history", {**where, "symptoms": symptoms})
    say(f"Booked: {found[0]['name']} at {slot}")


@appointments.command("cancel")
def cancel(number: NumberArgument, device: HealthDeviceOption = None) -> None:
    """Cancel an appointment; its slot is free again."""
    with health_phone(device, change=True) as phone:
        if not _rows(phone, "appointments"):
            raise UsageError("There is no appointment on this phone that could be cancelled")
        with _clinic(phone) as clinic:
            cancelled = clinic.appointments.cancel(_of_number(clinic, number))
    say(f"Cancelled: {cancelled.get('name')}, {cancelled.get('time')} on {cancelled.get('date')}")


# complaints


@complaints.command("list")
def list_complaints(
    like: Annotated[list[str] | None, typer.Argument(help="Only those that are like this, best first.")] = None,
    device: HealthDeviceOption = None,
    json_: JsonOption = False,
) -> None:
    """List past complaints."""
    from camphor.device.health.appointments import alike

    with health_phone(device) as phone:
        rows = _rows(phone, "complaints")
    if not rows and not json_:
        say("No complaint is noted: note one with  camphor health complaints add WORDS")
        return
    if like:
        numbered = [{**row, "number": number} for number, row in rows]
        rows = [(row["number"], row) for row in alike(numbered, " ".join(like), most=len(rows))]
    show_numbered(rows, ("date", "symptoms"), json_)


@complaints.command("add")
def add_complaint(words: WordsArgument, device: HealthDeviceOption = None) -> None:
    """Note what you have now."""
    from camphor.health.people import ready_clinic

    with health_phone(device, change=True) as phone:
        ready_clinic(phone)
        now = phone.now.isoformat(timespec="seconds")
        symptoms = " ".join(words)
        _call(phone, "store_symptoms", {"user_id": _user(phone), "symptoms": symptoms, "timestamp": now})
    say(f"Noted: {symptoms}")


@complaints.command("remove")
def remove_complaint(number: NumberArgument, device: HealthDeviceOption = None) -> None:
    """Delete a complaint."""
    with health_phone(device, change=True) as phone:
        check_number(number, len(_rows(phone, "complaints")))
        with _clinic(phone) as clinic:
            ordinal, record = clinic.records.rows("complaints")[number - 1]
            clinic.records.change("complaints", ordinal, None)
    say(f"Deleted: {record.get('symptoms')}")


# what they share


def _clinic(phone: Device) -> Any:
    from camphor.device.apps.clinic import Clinic

    return phone.changing(Clinic)


def _rows(phone: Device, name: str) -> list[tuple[int, Record]]:
    """The records of a list with their numbers, from 1."""
    known = phone.records("clinic", name) if "clinic" in phone.apps else []
    return list(enumerate(known, 1))


def _of_number(clinic: Clinic, number: int) -> Own:
    rows = clinic.records.rows("appointments")
    ordinal = rows[number - 1][0] if 1 <= number <= len(rows) else None
    own = next((each for each in clinic.appointments.active() if each.ordinal == ordinal), None)
    if own is None:
        raise UsageError(f"There is no appointment {number} that could be cancelled: see  health appointments list")
    return own


def _ahead(phone: Device, row: Record) -> bool:
    from camphor.device.health.slots import slot_of

    slot = slot_of(row)
    return row.get("state") != "cancelled" and (slot is None or slot.end > phone.now)


def _call(phone: Device, name: str, arguments: dict[str, Any]) -> tuple[Record, ...]:
    seen = phone.execute(Call(name, arguments))
    if seen.error:
        raise UsageError(seen.error)
    return tuple(seen.records)


def _user(phone: Device) -> str:
    return str(phone.fact("clinic", "profile").get("user_id") or "me")


def _sure(question: str, yes: bool) -> None:
    if yes:
        return
    if not is_attended():
        raise Refused(f"Nothing was booked. {question} Run this in a terminal, or add --yes")
    if not agrees(f"{question}\n  Book it? yes or no: "):
        raise Refused("Nothing was booked")
