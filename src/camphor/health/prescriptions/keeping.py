"""From a prescription that the person has checked to medicines whose doses are reminded of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from camphor.device.health.doses import Doses, Medicine
from camphor.errors import Refused, UsageError
from camphor.health.prescriptions.bounds import route_of
from camphor.health.prescriptions.conflicts import Conflict, Taken, conflicts, unknown
from camphor.health.prescriptions.drugs import find
from camphor.health.prescriptions.parse import Prescribed

if TYPE_CHECKING:
    from camphor.device.device import Device

_KEPT = ("strength", "dose", "form", "route", "food", "when", "most", "duration")


@dataclass(frozen=True)
class Known:
    """What is known of the person's medicines: those taken now, and what they are allergic to."""

    medicines: tuple[Taken, ...] = ()
    allergies: tuple[str, ...] = ()

    @classmethod
    def of(cls, device: Device, doses: Doses) -> Known:
        """From the doses kept here, the health app's medications and the clinic's profile."""
        kept = [
            Taken(
                f"{each.name} (your medicine {each.id})",
                tuple(each.facts.get("ingredients") or ()),
                *(str(each.facts.get(name) or "") for name in ("strength", "dose", "when")),
            )
            for each in doses.medicines()
        ]
        today = device.now.date().isoformat()
        noted = [
            _noted(each)
            for each in device.records("health", "medications")
            if str(each.get("end") or "9999")[:10] >= today and each.get("name")
        ]
        profile = device.fact("clinic", "profile")
        return cls((*kept, *noted), tuple(map(str, profile.get("allergies") or ())))


def check(medicines: Sequence[Prescribed], known: Known) -> list[Conflict]:
    """What contradicts among the medicines of a prescription, and with what is known."""
    new = [_taken(number, each) for number, each in enumerate(medicines, 1)]
    return conflicts(new, known.medicines, known.allergies)


def not_checked(medicines: Sequence[Prescribed], known: Known) -> list[str]:
    """What could not be looked for among conflicts, in sentences for the person."""
    return unknown([(each.name, each.ingredients) for each in medicines], known.allergies)


def keep(
    doses: Doses,
    medicines: Sequence[Prescribed],
    source: str,
    text: str,
    start: datetime,
    known: Known,
    *,
    despite: bool,
) -> tuple[Medicine, ...]:
    """Keeps what the person has checked; from then on its doses are reminded of.

    Args:
        source, text: where the prescription comes from and what was read; start: naive wall time of the first moment at
        which a dose may fall due. despite: also where it contradicts what is known.

    Raises:
        UsageError: nothing is left to keep, or something is still in doubt. Refused: there are conflicts.
    """
    if not medicines:
        raise UsageError(
            "No medicine was found there: type it, as  camphor health prescription --text 'NAME 5 mg daily'"
        )
    for number, each in enumerate(medicines, 1):
        for name, doubt in each.doubts.items():
            perhaps = f" (perhaps {' or '.join(doubt.candidates)})" if doubt.candidates else ""
            raise UsageError(
                f"Medicine {number}, {name}: {doubt.why or 'it is in doubt'}{perhaps}: say what it is with  --set "
                f"{number}.{name}='...'  or leave it out with  --leave {number}"
            )
        if each.plan is None:
            raise UsageError(f"Medicine {number}: it is not known when it is taken: --set {number}.when='twice daily'")
    found = check(medicines, known)
    if found and not despite:
        raise Refused(f"{found[0].text} Nothing was kept; add --despite to keep it all the same")
    return doses.add(source, text, [_medicine(each, start) for each in medicines], start)


def _medicine(each: Prescribed, start: datetime) -> Medicine:
    assert each.plan is not None
    facts: dict[str, Any] = {name: each.fields[name].value for name in _KEPT if each.fields[name].value}
    if each.note:
        facts["note"] = each.note
    facts["ingredients"] = list(each.ingredients)
    return Medicine(each.name, each.plan.to_json(), start.isoformat(timespec="seconds"), facts)


def _taken(number: int, each: Prescribed) -> Taken:
    strength, dose, when = (each.fields[name].value or "" for name in ("strength", "dose", "when"))
    return Taken(f"{each.name} (number {number})", each.ingredients, strength, dose, when, route_of(each.said))


def _noted(record: Mapping[str, Any]) -> Taken:
    """A medication of the health app; its form stands in its name ("Salbutamol inhaler")."""
    name = str(record["name"])
    words = name.split()
    drugs = (find(" ".join(words[:length])).drug for length in range(len(words), 0, -1))
    drug = next((each for each in drugs if each), None)
    told = (str(record.get("dose") or ""), str(record.get("frequency") or ""))
    return Taken(f"{name} (in your health records)", drug.ingredients if drug else (), "", *told)
