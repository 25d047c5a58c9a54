"""`camphor health prescription`, `medicines`, `doses`, `taken`, `snooze`, `skip` and `remind`: the scheduler."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from camphor.cli.health_phone import HealthDeviceOption, health_phone, say
from camphor.cli.options import JsonOption
from camphor.cli.service import loop_for, said_of_service
from camphor.cli.text import agrees, ask, is_attended, print_json, print_table
from camphor.errors import UsageError

if TYPE_CHECKING:
    from camphor.device.device import Device
    from camphor.device.health.doses import Medicine
    from camphor.device.health.notices import Notices
    from camphor.health.prescriptions.keeping import MedicineConflict
    from camphor.health.prescriptions.parse import Prescribed, Prescription
    from camphor.health.scheduler.reminders import DoseReminders

DoseArgument = Annotated[int | None, typer.Argument(help="Its number; the one that waits where there is just one.")]
_SET = re.compile(r"(\d{1,3})\.(\w+)=(.+)", re.DOTALL)


def prescription(
    file: Annotated[Path | None, typer.Argument(help="A photo, a PDF or a text file; or give --text.")] = None,
    text: Annotated[str | None, typer.Option("--text", help="What the prescription says, typed.")] = None,
    pages: Annotated[str, typer.Option("--pages", help="Which pages of a PDF, as 2 or 1-3.")] = "",
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="What a field is, as 2.dose='1 tablet'; may be given again.")
    ] = None,
    leave: Annotated[list[int] | None, typer.Option("--leave", help="A medicine to leave out, by number.")] = None,
    start: Annotated[str, typer.Option("--from", help="When to begin, as 2026-03-12 or 2026-03-12T20:00.")] = "",
    add: Annotated[bool, typer.Option("--add", help="Keep it without being asked; nothing may be in doubt.")] = False,
    despite: Annotated[bool, typer.Option("--despite", help="Keep it in spite of conflicts.")] = False,
    device: HealthDeviceOption = None,
    json_: JsonOption = False,
) -> None:
    """Read a prescription, show what was understood, ask what is in doubt, and remind of its doses once you agree.

    \b
    camphor health prescription photo.jpg
    camphor health prescription --text "Metformin 850 mg 1 tab bd with meals for 30 days"
    camphor health prescription scan.pdf --pages 2 --set 1.dose="1 tablet" --add
    """
    from camphor.health.prescriptions.keeping import KnownMedicines, check, keep, not_checked

    with _scheduler(device, change=add or is_attended()) as (phone, reminders):
        read = _read(file, text, pages)
        left = _corrected(read.medicines, set_ or (), leave or ())
        known = KnownMedicines.of(phone, reminders.doses)
        asked = is_attended() and not (json_ or add)
        if asked:
            _show(left, read, ())
            left = _settled(left)
        found = check(left, known)
        kept: tuple[Medicine, ...] = ()
        agreed = add
        if not json_:
            _show(left, read, found)
            for text in not_checked(left, known):
                say(text)
        if asked and left and not found:
            agreed = agrees("Is that what it says, and shall I remind you? yes or no: ")
        elif asked and left:
            agreed = despite = agrees("Shall I keep it all the same, and remind you? yes or no: ")
        if agreed:
            begin = _moment(start, phone.now) if start else phone.now
            source = str(file) if file else "typed"
            kept = keep(reminders.doses, left, source, read.text, begin, known, despite=despite)
            reminders.plan()
        goes = phone.clock_goes
        if json_:
            told: dict[str, Any] = {"medicines": [each.to_json() for each in left]}
            told["not_understood"] = [line.text for line in read.not_understood]
            told["conflicts"] = [vars(each) for each in found]
            told["not_checked"] = not_checked(left, known)
            print_json({**told, "kept": [each.id for each in kept]})
            return
    if kept:
        rings = said_of_service() if goes else "The clock of this phone stands still, so nothing falls due on it"
        say(f"Kept: {', '.join(each.name for each in kept)}. {rings}")
    elif not asked:
        say("Nothing was kept: compare it with the paper, settle what is in doubt with --set, and add --add")


def medicines(
    stop: Annotated[
        int | None, typer.Option("--stop", help="The number of a medicine that is not taken any more.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Also those that were stopped.")] = False,
    device: HealthDeviceOption = None,
    json_: JsonOption = False,
) -> None:
    """List your medicines with their times; --stop ends the reminders of one."""
    with _scheduler(device, change=stop is not None) as (_, reminders):
        if stop is not None:
            stopped = reminders.doses.stop(stop, reminders.clock(), reminders.now)
            say(f"Stopped: {stopped.name}. What was noted of its doses is kept")
            return
        found = reminders.doses.medicines(stopped=all_)
    if json_:
        print_json([each.to_json() for each in found])
        return
    if not found:
        say("There are no medicines here: take a prescription in with  camphor health prescription FILE")
        return
    rows = [[str(each.id), *_medicine_row(each)] for each in found]
    print_table(["", "medicine", "dose", "when", "times", "since", "until"], rows)


def doses(
    day: Annotated[str, typer.Option("--day", help="The first day, as 2026-03-12; today unless given.")] = "",
    days: Annotated[int, typer.Option("--days", min=1, max=366, help="How many days.")] = 1,
    device: HealthDeviceOption = None,
    json_: JsonOption = False,
) -> None:
    """List doses and what became of them, and count those taken, skipped and missed."""
    with _scheduler(device) as (phone, reminders):
        first = datetime.combine(_day(day) if day else phone.now.date(), datetime.min.time())
        last = first + timedelta(days=days)
        rows, counts = reminders.listed(first, last), reminders.counts(first, last)
    if json_:
        print_json({"doses": rows, "counts": counts})
        return
    if not rows:
        say("No dose falls due then: see  camphor health medicines")
        return
    shown = [[str(row["dose"]), _when(row["due"]), row["what"], row["state"], _when(row["noted"])] for row in rows]
    print_table(["", "due", "what", "", "noted"], shown)
    say(", ".join(f"{count} {name}" for name, count in counts.items()))


def taken(
    dose: DoseArgument = None,
    medicine: Annotated[
        int | None, typer.Option("--medicine", "-m", help="A medicine taken when needed, by its number.")
    ] = None,
    at: Annotated[str, typer.Option("--at", help="When, as 08:10 or 2026-03-12T08:10; now unless given.")] = "",
    another: Annotated[bool, typer.Option("--another", help="It was one more, not the one noted before.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take back what was said of the dose.")] = False,
    device: HealthDeviceOption = None,
) -> None:
    """Note that a dose was taken: its reminders end. Said twice, it counts once."""
    with _scheduler(device, change=True) as (phone, reminders):
        if undo:
            again = reminders.doses.reopen(_one(reminders, dose), reminders.now)
            say(f"Dose {again.id} counts as not decided again")
            return
        moment = _moment(at, phone.now) if at else None
        if medicine is not None:
            noted, news = reminders.taken_as_needed(medicine, moment, another=another)
        else:
            noted, news = reminders.taken(_one(reminders, dose), moment, another=another)
        say(reminders.outcome(noted, news))


def snooze(
    dose: DoseArgument = None,
    minutes: Annotated[int, typer.Option("--minutes", min=1, max=720, help="For how long.")] = 10,
    device: HealthDeviceOption = None,
) -> None:
    """Put the reminders of a dose off for a while."""
    with _scheduler(device, change=True) as (_, reminders):
        put = reminders.snooze(_one(reminders, dose), timedelta(minutes=minutes))
        say(f"I remind you of dose {put.id} again at {reminders.wall(put.next):%H:%M}")


def skip(
    dose: DoseArgument = None,
    why: Annotated[str, typer.Option("--why", help="The reason, for your own notes.")] = "",
    device: HealthDeviceOption = None,
) -> None:
    """Note that a dose is left out: its reminders end."""
    with _scheduler(device, change=True) as (_, reminders):
        noted, news = reminders.skip(_one(reminders, dose), why)
        say(reminders.outcome(noted, news))


def remind(
    once: Annotated[bool, typer.Option("--once", help="Remind of what is due now and end.")] = False,
    device: HealthDeviceOption = None,
) -> None:
    """Remind in this terminal of one phone's doses, readings and reports; Ctrl-C ends it.

    It is the same as  camphor service run  for all phones, and may run beside it: each thing rings once. It may be
    stopped, killed or put to sleep at any time: when it runs again, it goes on where the doses stand.
    """
    import time as clock

    from camphor.device.health.database import HealthDatabase
    from camphor.device.health.notices import Notices

    with health_phone(device, change=True) as phone, HealthDatabase.of(phone.path) as base:
        assert phone.path is not None
        notices = Notices(base, clock.time)
        last, loop = notices.last(), loop_for({phone.path.stem: phone.path})
        if not once:
            say(f"Reminding of the doses of {phone.owner or phone.id}; Ctrl-C ends it")
        while True:
            pause = loop.look()
            last, said = _tell(notices, last, phone)
            if once and not said:
                say("Nothing is due now")
            if not once and not phone.clock_goes:
                say(f"The clock of this phone stands still at {phone.now:%d %B %Y %H:%M}: no more falls due")
            if once or not phone.clock_goes:
                return
            clock.sleep(pause)


# parts


@contextmanager
def _scheduler(spec: str | None, *, change: bool = False) -> Iterator[tuple[Device, DoseReminders]]:
    from camphor.device.health.database import HealthDatabase
    from camphor.device.health.doses import Doses
    from camphor.health.scheduler.reminders import DoseReminders

    with health_phone(spec, change=change) as phone, HealthDatabase.of(phone.path) as base:
        yield phone, DoseReminders.of(phone, Doses(base))


def _tell(notices: Notices, last: int, phone: Device) -> tuple[int, bool]:
    """Says what is new since a number; the last number, and whether anything was."""
    from camphor.device.health.notices import DOSE

    new = notices.after(last)
    for each in new:
        say(f"{phone.now:%H:%M}  {each.text}")
        if each.kind == DOSE:
            number = each.thread.rpartition("-")[2]
            say(f"       camphor health taken {number}  |  snooze {number}  |  skip {number}")
    return (new[-1].id if new else last), bool(new)


def _read(file: Path | None, text: str | None, pages: str) -> Prescription:
    from camphor.health.prescriptions.ocr import read_file
    from camphor.health.prescriptions.parse import parse, parse_text

    if (file is None) == (text is None):
        raise UsageError("Give a photo, a PDF or a text file, or what it says with  --text")
    if text is not None:
        return parse_text(text)
    assert file is not None
    return parse(read_file(file, _pages(pages)))


def _pages(text: str) -> list[int]:
    if not text:
        return []
    match = re.fullmatch(r"(\d{1,5})(?:-(\d{1,5}))?", text.strip())
    if not match or int(match[2] or match[1]) < int(match[1]):
        raise UsageError(f"{text[:40]!r} names no pages: write  --pages 2  or  --pages 1-3")
    return list(range(int(match[1]), int(match[2] or match[1]) + 1))


def _corrected(found: Sequence[Prescribed], said: Sequence[str], leave: Sequence[int]) -> list[Prescribed]:
    """With what the person says of single fields, less what is left out. Numbers are those that were shown."""
    from camphor.health.scheduler.schedule import DayTimes

    left = dict(enumerate(found, 1))
    for each in said:
        match = _SET.fullmatch(each.strip())
        if not match:
            raise UsageError(f"{each[:60]!r} says no field: write  --set 2.dose='1 tablet'")
        number = int(match[1])
        if number not in left:
            raise UsageError(f"There is no medicine {number} on it: it has {len(found)}")
        left[number] = left[number].corrected(match[2], match[3], DayTimes())
    for number in leave:
        if left.pop(number, None) is None:
            raise UsageError(f"There is no medicine {number} on it: it has {len(found)}")
    return list(left.values())


def _settled(found: Sequence[Prescribed]) -> list[Prescribed]:
    """Asks the person about each doubt; a medicine whose doubt is not answered is left out."""
    from camphor.health.scheduler.schedule import DayTimes

    left = []
    for each in found:
        while each.doubts:
            name, doubt = next(iter(each.doubts.items()))
            perhaps = f", perhaps {' or '.join(doubt.candidates)}" if doubt.candidates else ""
            say(f"{each.name}: {name}: {doubt.why}. Read: {doubt.read!r}{perhaps}")
            answer = ask(f"  What is the {name}? Enter alone leaves this medicine out: ")
            if not answer.strip():
                break
            try:
                each = each.corrected(name, answer, DayTimes())
            except UsageError as error:
                say(str(error))
        else:
            left.append(each)
    return left


def _show(found: Sequence[Prescribed], read: Prescription, against: Sequence[MedicineConflict]) -> None:
    if not found:
        say("No medicine was found in it")
    rows = []
    for number, each in enumerate(found, 1):
        for name, value in each.fields.items():
            if value.value or value.doubtful:
                shown = value.value or f"? {' or '.join(value.candidates)}".rstrip()
                rows.append([str(number), name, shown, value.read, f"{value.confidence:.0%}", value.why])
        if each.plan is not None and each.plan.clock:
            rows.append([str(number), "times", ", ".join(f"{at:%H:%M}" for at in each.plan.clock), "", "", ""])
        if each.note:
            rows.append([str(number), "note", each.note, "", "", ""])
    if rows:
        print_table(["", "field", "understood", "read", "sure", "in doubt because"], rows)
    for line in read.not_understood:
        say(f"Not understood: {line.text}")
    for conflict in against:
        say(f"Careful: {conflict.text}")


def _medicine_row(medicine: Medicine) -> list[str]:
    from camphor.health.scheduler.schedule import DosePlan

    facts, plan = medicine.facts, DosePlan.from_json(medicine.plan)
    name = f"{medicine.name} {facts.get('strength') or ''}".strip() + (" (simulated)" if medicine.simulated else "")
    until = (medicine.stopped or "")[:10] or (f"{plan.length} days" if plan.length else "")
    when = ", ".join(each for each in (facts.get("when"), facts.get("food")) if each)
    return [
        name,
        str(facts.get("dose") or ""),
        when,
        ", ".join(f"{at:%H:%M}" for at in plan.clock),
        medicine.start[:10],
        until,
    ]


def _one(reminders: DoseReminders, number: int | None) -> int:
    """The dose that is meant."""
    if number is not None:
        return number
    reminders.plan()
    waiting = reminders.doses.waiting(reminders.now)
    if len(waiting) != 1:
        told = f"{len(waiting)} doses wait" if waiting else "No dose waits"
        raise UsageError(f"{told} for your word now: name one by its number, as  camphor health doses  lists them")
    return waiting[0].id


def _when(iso: Any) -> str:
    return f"{datetime.fromisoformat(iso):%d %b %H:%M}" if iso else ""


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(f"{text[:40]!r} is no day: write it as 2026-03-12") from None


def _moment(text: str, now: datetime) -> datetime:
    """A time of today ("08:10"), a day, or both."""
    try:
        if re.fullmatch(r"\d{1,2}:\d\d", text.strip()):
            return datetime.combine(now.date(), datetime.strptime(text.strip(), "%H:%M").time())
        return datetime.fromisoformat(text.strip()).replace(tzinfo=None)
    except ValueError:
        raise UsageError(f"{text[:40]!r} is no time: write it as 08:10 or 2026-03-12T08:10") from None
