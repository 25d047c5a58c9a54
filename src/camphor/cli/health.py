"""`camphor health`: the health assistant. Each part of it adds its commands in a module of its own."""

from __future__ import annotations

import typer

from camphor.cli import (
    health_clinic,
    health_medicines,
    health_people,
    health_report,
    health_sos,
    health_talk,
    health_vitals,
)
from camphor.cli.health_phone import HealthGroup

app = typer.Typer(
    cls=HealthGroup,
    help="Appointments, vitals, medicines and emergencies. It gives no diagnosis and no advice on treatment.",
    no_args_is_help=True,
)
health_clinic.register(app)
health_medicines.register(app)
health_people.register(app)
health_report.register(app)
health_sos.register(app)
health_talk.register(app)
health_vitals.register(app)
