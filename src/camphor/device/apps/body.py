"""Health and fitness."""

from __future__ import annotations

from typing import ClassVar

from camphor.device.apps.base import App, context
from camphor.device.records import Record


class Health(App):
    name = "health"
    lists: ClassVar = {
        "records": ("name", "value", "date"),
        "medications": ("name", "dose", "frequency", "start", "end"),
    }
    spans: ClassVar = {"medications": ("start", "end")}

    @context
    def get_health_records(self) -> list[Record]:
        """Health records: measurements and results with their dates."""
        return self.records.find("records")

    @context
    def get_health_medications(self) -> list[Record]:
        """Medications: dose, how often, since when and until when."""
        return self.records.find("medications")


class Fitness(App):
    name = "fitness"
    lists: ClassVar = {"days": ("date", "steps", "distance_km", "active_kcal", "workouts")}

    @context
    def get_fitness_summary(self) -> list[Record]:
        """Steps, distance, active energy and workouts of each day."""
        return self.records.find("days")
