"""`camphor health`: the health assistant. Each part of it has its commands in a module of its own."""

from __future__ import annotations

import typer

from camphor.cli import (
    health_clinic,
    health_people,
    health_report,
    health_sos,
    health_talk,
    health_vitals,
)
from camphor.cli import health_medicines as medicines
from camphor.cli.health_phone import HealthGroup

app = typer.Typer(
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
    app.add_typer(group, name=name)
for command in (
    *(medicines.prescription, medicines.medicines, medicines.doses, medicines.taken),
    *(medicines.snooze, medicines.skip, medicines.remind),
    *(health_report.report, health_report.export, health_talk.talk),
    *(health_vitals.import_, health_vitals.check, health_vitals.watch, health_vitals.units, health_vitals.demo),
):
    app.command(command.__name__.rstrip("_"))(command)
