"""The clinic: specialists and their free slots, appointments, complaints, ambulances and emergency contacts.

The tools are those of the medical paper's Appendix E, one each, and `get_assigned_ambulance` of its Appendix D. An
ambulance, once it is sent a message, is the person's until it is released. What only the person can answer
(`get_input_from_user`) is answered by whoever talks with the person, never here.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, ClassVar, Literal, NotRequired, TypedDict

from camphor.device import dates
from camphor.device.apps.base import App, Content, action, context
from camphor.device.arithmetic import distance_km, point_of
from camphor.device.health.appointments import Appointments, alike
from camphor.device.health.emergencies import recipients
from camphor.device.health.slots import wishes_of
from camphor.device.text import Record, interval
from camphor.errors import ArgumentError
from camphor.tools.tool import Role

Day = Annotated[str, Role.DATE]
_FOLLOW_UP_AFTER = timedelta(days=1)
_CLOCKS_APART = timedelta(minutes=15)
"""So far may a time that was written down lie ahead of the phone's clock."""


class Schedule(TypedDict):
    """When the person can come.

    Attributes:
        date: the day, YYYY-MM-DD.
        time_range: the hours, HH:MM-HH:MM.
    """

    date: NotRequired[Day]
    time_range: NotRequired[Content]


class DateRange(TypedDict):
    """Days, both included.

    Attributes:
        start_date: the first day, YYYY-MM-DD.
        end_date: the last day, YYYY-MM-DD.
    """

    start_date: NotRequired[Day]
    end_date: NotRequired[Day]


class Location(TypedDict):
    """A place on the earth, in degrees."""

    latitude: float
    longitude: float


class Clinic(App):
    """The app of a person's health.

    Its lists, and what their fields hold: slots and appointments have a `date` YYYY-MM-DD and a `time` HH:MM-HH:MM, in
    the device's zone; `taken` is true or false; an appointment's `state` is booked, confirmed or cancelled; an
    ambulance's `assigned` is the user_id that it is sent to, or null. The fact `profile` may have `preferred_times`, a
    list of texts such as "16:00-19:00", "monday friday 08:00-10:00" or "mornings", and `rest_hours` with `from` and
    `to`, HH:MM.
    """

    name = "clinic"
    lists: ClassVar = {
        "specialists": (
            "specialist_id", "name", "specialization", "address", "latitude", "longitude", "phone_number",
        ),
        "clinics": ("name", "phone_number", "address"),
        "slots": ("specialist_id", "date", "time", "taken"),
        "appointments": ("specialist_id", "name", "specialization", "date", "time", "symptoms", "state"),
        "complaints": ("date", "symptoms"),
        "ambulances": ("ambulance_id", "phone_no", "latitude", "longitude", "assigned"),
        "emergency_contacts": ("name", "phone_number", "email"),
        "emergency_numbers": ("name", "phone_number"),
        "notices": ("time", "message"),
        "messages": ("time", "recipients", "text", "skipped"),
    }  # fmt: skip
    facts = ("profile",)

    @property
    def profile(self) -> Record:
        """What is known of the person; empty where nothing is."""
        return next(iter(self.records.fact("profile")), {})

    @property
    def appointments(self) -> Appointments:
        return Appointments(self.records, self.phone.now)

    # appointments

    @context
    def get_available_specialists(
        self, symptoms: Content, specialization: Content, user_schedule: Schedule | None = None
    ) -> list[Record]:
        """Find the specialist of a kind with the free slot that suits best.

        Args:
            symptoms: what the person has, with commas between.
            specialization: the kind of specialist.
            user_schedule: the day or the hours that the person can come, where said.
        """
        tool = "get_available_specialists"
        try:
            wishes = wishes_of(self.profile, user_schedule)
        except ValueError as error:
            raise ArgumentError(tool, "user_schedule", user_schedule, str(error)) from None
        here = point_of(self.phone.location)
        found = self.appointments.find(tool, specialization, wishes, here)
        if found is None:
            return []
        specialist, slot = found
        return [
            {
                "specialist_id": specialist.get("specialist_id"),
                "name": _titled(specialist),
                "available_slot": {"date": slot.date, "time": slot.time},
            }
        ]

    @action
    def book_appointment(self, user_id: Content, specialist_id: Content, appointment_time_date: Content) -> Record:
        """Book a specialist's free slot.

        Args:
            user_id: the user.
            specialist_id: the specialist.
            appointment_time_date: HH:MM-HH:MM, DD/MM/YYYY.
        """
        return self.appointments.take("book_appointment", specialist_id, appointment_time_date, "booked")

    @action
    def confirm_appointment(self, user_id: Content, specialist_id: Content, appointment_time_date: Content) -> Record:
        """Confirm an appointment slot to the clinic; one that is not booked yet is booked.

        Args:
            user_id: the user.
            specialist_id: the specialist.
            appointment_time_date: HH:MM-HH:MM, DD/MM/YYYY.
        """
        return self.appointments.take("confirm_appointment", specialist_id, appointment_time_date, "confirmed")

    @context
    def get_appointment_history(self, user_id: Content) -> list[Record]:
        """The user's appointments, past and coming, in the order of their days.

        Args:
            user_id: the user.
        """
        self._known_user("get_appointment_history", user_id)
        return sorted(
            self.records.find("appointments"), key=lambda each: (str(each.get("date")), str(each.get("time")))
        )

    @action
    def save_appointment_history(
        self, user_id: Content, symptoms: Content, specialist_id: Content, appointment_time_date: Content
    ) -> Record:
        """Save an appointment with its symptoms for later reference.

        Args:
            user_id: the user.
            symptoms: what the appointment is for, with commas between.
            specialist_id: the specialist.
            appointment_time_date: HH:MM-HH:MM, DD/MM/YYYY.
        """
        own = self.appointments.own("save_appointment_history", specialist_id, appointment_time_date)
        saved = {**own.record, "symptoms": symptoms}
        self.records.change("appointments", own.ordinal, saved)
        return saved

    # complaints

    @context
    def retrieve_past_complaints(
        self, user_id: Content, symptoms: Content, date_range: DateRange | None = None
    ) -> list[Record]:
        """Past complaints of the user that are like these symptoms.

        Args:
            user_id: the user.
            symptoms: what to look for, with commas between.
            date_range: the days to look in.
        """
        tool = "retrieve_past_complaints"
        self._known_user(tool, user_id)
        between: DateRange = date_range or {}
        first, last = between.get("start_date"), between.get("end_date")
        if first and last and last < first:
            raise ArgumentError(tool, "date_range", date_range, "an end_date that is not before the start_date")
        days = interval(f"{first or '0001-01-01'}/{last or '9999-12-31'}") if first or last else ()
        past = [record for _, record in self.records.rows("complaints", *days)]
        return [{"date": each.get("date"), "symptoms": each.get("symptoms")} for each in alike(past, symptoms)]

    @action
    def store_symptoms(self, user_id: Content, symptoms: Content, timestamp: Content) -> Record:
        """Keep the user's symptoms for later reference.

        Args:
            user_id: the user.
            symptoms: what the person has, with commas between.
            timestamp: when it was said, YYYY-MM-DDTHH:MM:SS.
        """
        date = self._said_at("store_symptoms", timestamp).date().isoformat()
        return self.records.add("complaints", {"date": date, "symptoms": symptoms})

    @action
    def follow_up_with_user(
        self,
        user_id: Content,
        *,
        past_complaints: list[Any] | None = None,
        current_symptoms: Content,
        preferred_contact_method: Literal["call", "email", "chat"] | None = None,
    ) -> Record:
        """Ask the user tomorrow how the symptoms are.

        Args:
            user_id: the user.
            past_complaints: earlier complaints to refer to.
            current_symptoms: the symptoms now.
            preferred_contact_method: how to get in touch.
        """
        time = (self.phone.now + _FOLLOW_UP_AFTER).isoformat(timespec="minutes")
        message = f"How are your symptoms now: {current_symptoms.rstrip('.')}?"
        notice: dict[str, Any] = {"time": time, "message": message, "method": preferred_contact_method or "chat"}
        if past_complaints:
            notice["past_complaints"] = past_complaints
        return self.records.add("notices", notice)

    # the person

    @action
    def notify_user(self, user_id: Content, message: Content) -> Record:
        """Tell the user something.

        Args:
            user_id: the user.
            message: what to tell.
        """
        return self.records.add("notices", {"time": self.stamp(), "message": message})

    @context
    def get_input_from_user(self, user_id: Content, questions: Content) -> list[Record]:
        """Ask the user something.

        Args:
            user_id: the user.
            questions: what to ask.
        """
        raise ArgumentError("get_input_from_user", "questions", questions, "a person to answer, and none is here")

    # emergencies

    @context
    def get_location(self) -> list[Record]:
        """Where the user is: latitude and longitude."""
        here = point_of(self.phone.location)
        return [{"latitude": here[0], "longitude": here[1]}] if here else []

    @context
    def search_ambulance(self, location: Location) -> list[Record]:
        """The nearest ambulance that is free.

        Args:
            location: where the user is.
        """
        here = point_of(location)
        if here is None:
            raise ArgumentError("search_ambulance", "location", location, "a latitude and a longitude in degrees")
        places = [(point_of(each), each) for each in self.records.find("ambulances")]
        free = [
            (distance_km(here, place), each)
            for place, each in places
            if place and each.get("phone_no") and each.get("assigned") in (None, False, "", self._user())
        ]
        return [_ambulance(min(free, key=lambda pair: pair[0])[1])] if free else []

    @action
    def send_message(
        self,
        *,
        phone_no: Annotated[str, Role.PHONE] | None = None,
        text: Content,
        to_emergency_contacts: bool = False,
    ) -> Record:
        """Send a text message to a number, or to all emergency contacts.

        Args:
            phone_no: the number.
            text: the message.
            to_emergency_contacts: whether all emergency contacts get it.
        """
        contacts = self.records.find("emergency_contacts")
        reached, skipped = recipients("send_message", phone_no, to_emergency_contacts, contacts)
        if phone_no:
            self.assign_ambulance(phone_no)
        message = {"time": self.stamp(), "recipients": reached, "text": text}
        return self.records.add("messages", {**message, **({"skipped": skipped} if skipped else {})})

    @context
    def get_assigned_ambulance(self, user_id: Content) -> list[Record]:
        """The ambulance that was called for the user.

        Args:
            user_id: the user.
        """
        self._known_user("get_assigned_ambulance", user_id)
        return [_ambulance(each) for each in self.records.find("ambulances") if each.get("assigned") == self._user()][
            :1
        ]

    def assign_ambulance(self, phone_no: str) -> None:
        """Notes that the ambulance of that number, if it is one and free, is called for the person."""
        for ordinal, ambulance in self.records.rows("ambulances"):
            if _digits(ambulance.get("phone_no")) == _digits(phone_no) and not ambulance.get("assigned"):
                self.records.change("ambulances", ordinal, {**ambulance, "assigned": self._user()})
                return

    def release_ambulances(self) -> list[Record]:
        """Lets the ambulances that were called for the person go; those that were."""
        called = [pair for pair in self.records.rows("ambulances") if pair[1].get("assigned") == self._user()]
        for ordinal, ambulance in called:
            self.records.change("ambulances", ordinal, {**ambulance, "assigned": None})
        return [ambulance for _, ambulance in called]

    # what calls must be right about

    def check(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Refuses a call for another person, a slot that is not free, a message to nobody. Raises: ArgumentError."""
        if "user_id" in arguments:
            self._known_user(tool, arguments["user_id"])
        if tool in ("book_appointment", "confirm_appointment"):
            self.appointments.takeable(tool, arguments["specialist_id"], arguments["appointment_time_date"])
        elif tool == "save_appointment_history":
            self.appointments.own(tool, arguments["specialist_id"], arguments["appointment_time_date"])
        elif tool == "store_symptoms":
            self._said_at(tool, arguments["timestamp"])
        elif tool == "send_message":
            everybody = bool(arguments.get("to_emergency_contacts"))
            recipients(tool, arguments.get("phone_no"), everybody, self.records.find("emergency_contacts"))

    def _user(self) -> str:
        return str(self.profile.get("user_id") or "me")

    def _known_user(self, tool: str, user_id: str) -> None:
        if self.profile.get("user_id") and user_id != self._user():
            raise ArgumentError(tool, "user_id", user_id, f"the user of this phone, {self._user()}")

    def _said_at(self, tool: str, timestamp: str) -> datetime:
        moment = dates.moment(timestamp, self.phone.zone) if timestamp[:4].isdigit() else None
        if moment is None:
            raise ArgumentError(tool, "timestamp", timestamp, "a time as YYYY-MM-DDTHH:MM:SS")
        if moment > self.phone.now + _CLOCKS_APART:
            raise ArgumentError(tool, "timestamp", timestamp, f"a time that is not after now, {self.stamp()}")
        return moment


def _ambulance(record: Record) -> Record:
    return {"ambulance_id": record.get("ambulance_id"), "phone_no": record.get("phone_no")}


def _digits(number: Any) -> str:
    return "".join(char for char in str(number) if char.isdigit())


def _titled(specialist: Record) -> str:
    name, kind = str(specialist.get("name") or ""), str(specialist.get("specialization") or "")
    return name if "(" in name else f"{name} ({kind.title().replace('Ent ', 'ENT ')})"
