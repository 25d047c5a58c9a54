"""The house style of planner and caller: what is said where.

What a planner writes follows from the case alone. The same situation is always put the same way and another one in
another, so that nothing has to be guessed, neither by the model nor by the metrics (BLEU, ROUGE). It names symptoms and
a specialist, never a disease: it does not diagnose. Days stand as prompts show them ("Sat 30 Nov, 11:00-11:30"), which
code computes and the model copies.

Each function gives (reason, action) of the planner's next turn, or, where it says so, the text of a call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from camphor.device.when import show_day

END = "<END>"
DONE = ("The task is completed successfully.", END)
Plan = tuple[str, str]


def article(specialist: str) -> str:
    """With its article: "an oncologist"."""
    return f"{'an' if specialist[0] in 'aeio' else 'a'} {specialist}"


def shown_slot(slot: Mapping[str, Any], year: int) -> str:
    """A slot as prompts show it."""
    return f"{show_day(date.fromisoformat(str(slot['date'])), year)}, {slot['time']}"


# ---- appointments ----------------------------------------------------------------------------------------------------


def ask_more(question: str, asked: int) -> Plan:
    """Before the symptoms are clear; `asked` questions were answered already."""
    if asked:
        return "The answer helps, but one more detail is needed to choose a specialist.", f"Ask the user: {question}"
    return "The description is not clear enough to choose a specialist.", f"Ask the user: {question}"


def look_back(symptoms: str, diet: bool) -> Plan:
    reason = f"User reports {symptoms}" + (" and asks for help with food." if diet else ".")
    return reason, "Check for similar past complaints using the retrieve_past_complaints tool."


def find(specialist: str, past: Sequence[Mapping[str, Any]], year: int) -> Plan:
    """`past`: the complaints that were found, newest first."""
    advisable = f"A consultation with {article(specialist)} is advisable."
    action = f"Use the get_available_specialists tool to find {article(specialist)} for an appointment."
    if not past:
        return f"There are no similar past complaints. {advisable}", action
    last = show_day(date.fromisoformat(str(past[0]["date"])[:10]), year)
    if len(past) == 1:
        return f"A similar complaint was recorded on {last}. {advisable}", action
    return f"Similar complaints were recorded before, last on {last}. {advisable}", action


def find_general(missing: str, general: str) -> Plan:
    """Where no specialist of the right kind has a free slot."""
    action = f"Use the get_available_specialists tool to find {article(general)} for an appointment."
    return f"No {missing} has a free slot. {article(general).capitalize()} can take a first look.", action


def find_other(specialist: str, wish: str) -> Plan:
    """`wish`: the patient's words for the time, "in the afternoon"."""
    return (
        f"User would like another time: {wish}.",
        f"Use the get_available_specialists tool to find {article(specialist)} {wish}.",
    )


def offer(doctor: str, slot: str) -> Plan:
    return f"{doctor} is available on {slot}.", "Suggest the appointment to the user and book it if the user agrees."


def offer_again(doctor: str, slot: str, wish: str) -> Plan:
    """Where nothing is free when the patient would like it."""
    return (
        f"No other slot is free {wish}.",
        f"Ask the user whether the first offer is still welcome. {doctor} on {slot}",
    )


def ask_clearly(doctor: str, slot: str) -> Plan:
    return "User has neither accepted nor declined.", f"Ask the user for a clear yes or no. {doctor} on {slot}"


def none_free(specialist: str) -> Plan:
    """Where nobody at all has a free slot."""
    return f"No {specialist} has a free slot either.", "Store the symptoms for future reference without booking."


def confirm(doctor: str, slot: str) -> Plan:
    return (
        "User has accepted the appointment.",
        f"Confirm the appointment using the confirm_appointment tool. {doctor} on {slot}",
    )


SAVE: Plan = ("The appointment is confirmed.", "Save the appointment in the appointment history.")
STORE: Plan = ("The appointment is saved in the history.", "Also store the current symptoms for future reference.")
TELL: Plan = ("The symptoms are stored.", "Inform the user of the confirmed appointment.")
DECLINED: Plan = ("User has declined the appointment.", "Store the symptoms for future reference without booking.")
TELL_STORED: Plan = ("The symptoms are stored.", "Inform the user that the symptoms are recorded.")
DONE_STORED: Plan = ("The symptoms are stored and the user is informed.", END)


def offered(doctor: str, slot: str) -> str:
    """The question of a call."""
    return f"{doctor} has an opening on {slot}. Would you like to book this appointment?"


def offered_again(doctor: str, slot: str, wish: str) -> str:
    """The question of a call."""
    return f"There is no free slot {wish}. Would you like to keep {doctor} on {slot}?"


def asked_clearly(doctor: str, slot: str) -> str:
    """The question of a call."""
    return f"Shall I book {doctor} on {slot}? Please answer yes or no."


def confirmed(doctor: str, slot: str) -> str:
    """The message of a call."""
    return f"Your appointment with {doctor} is confirmed for {slot}. Your symptoms are recorded for future reference."


RECORDED = "Your symptoms are recorded for future reference. Please reach out if you decide to see a doctor."
NOBODY = "There is no free appointment at the moment. Your symptoms are recorded for future reference."

# ---- emergencies -----------------------------------------------------------------------------------------------------

SOFT: Plan = (
    "A soft SOS was triggered, so the user has to know about the abnormal vitals.",
    "Call notify_user to inform the user about the abnormal vitals.",
)
SOFT_DONE: Plan = ("The user is informed about the abnormal vitals. The soft SOS is completed.", END)

START: Plan = (
    "User has triggered a hard SOS, so the user has to know that help is being called.",
    "Call notify_user to inform the user that the SOS is starting.",
)
LOCATE: Plan = (
    "The user is informed. The location is needed for the emergency response.",
    "Call get_location to fetch the user's current coordinates.",
)
SEARCH: Plan = (
    "The location is known. The nearest ambulance has to be found.",
    "Call search_ambulance with the location to find the nearest available ambulance.",
)
CALL_AMBULANCE: Plan = (
    "The nearest ambulance is found. It has to know the user's location and details.",
    "Call send_message to notify the ambulance of the user's location and details.",
)
CALL_CONTACTS: Plan = (
    "The ambulance is notified. The emergency contacts have to know about the SOS.",
    "Call send_message to notify the emergency contacts of the SOS and the user's location.",
)
TELL_START: Plan = (
    "The emergency contacts are notified. The user has to know what was done.",
    "Call notify_user to inform the user that ambulance and contacts are notified.",
)
START_DONE: Plan = ("The user is informed about the actions taken. The hard SOS is running.", END)

STOP: Plan = (
    "User has triggered an End SOS, so the user has to know that it is being ended.",
    "Call notify_user to inform the user that the SOS is being ended.",
)
ASSIGNED: Plan = (
    "The user is informed. The assigned ambulance has to be looked up.",
    "Call get_assigned_ambulance to retrieve the ambulance's details.",
)
RELEASE_AMBULANCE: Plan = (
    "The assigned ambulance is known. It has to know that the SOS is over.",
    "Call send_message to inform the ambulance of the end of the SOS.",
)
RELEASE_CONTACTS: Plan = (
    "The ambulance is informed. The emergency contacts have to know that the SOS is over.",
    "Call send_message to inform the emergency contacts of the end of the SOS.",
)
TELL_STOP: Plan = (
    "The emergency contacts are informed. The user has to know that the SOS is ended.",
    "Call notify_user to inform the user that the SOS is ended.",
)
STOP_DONE: Plan = ("The user is informed that the SOS is ended. The task is completed.", END)

STARTING = "Hard SOS triggered. We are initiating emergency response procedures."
STOPPING = "End SOS triggered. We are notifying all relevant parties."
STOPPED = "The SOS has been ended. Ambulance and emergency contacts have been informed."


def soft_message(vitals: str) -> str:
    """The message of a call; `vitals` a line each."""
    return (
        "Soft SOS triggered. Abnormal vitals detected.\nIf you are feeling unwell, contact emergency services or book "
        f"an appointment.\n\nYour vitals:\n{vitals}"
    )


def place(location: Mapping[str, Any]) -> str:
    return f"{{latitude: {location['latitude']}, longitude: {location['longitude']}}}"


def ambulance_needed(location: Mapping[str, Any], user_id: str, name: str) -> str:
    """The text of a message."""
    return f"Ambulance needed at location {place(location)} by user {user_id} - {name}"


def contacts_needed(location: Mapping[str, Any], name: str) -> str:
    """The text of a message."""
    return f"SOS triggered by {name} at location {place(location)}"


def on_its_way(ambulance: Mapping[str, Any]) -> str:
    """The message of a call."""
    return (
        f"Ambulance {ambulance['ambulance_id']} ({ambulance['phone_no']}) has been informed and is on its way. Your "
        "emergency contacts have also been notified."
    )


def ambulance_released(user_id: str, name: str) -> str:
    """The text of a message."""
    return f"The SOS triggered by user {user_id} - {name} has been resolved. Ambulance services are no longer required."


def contacts_released(name: str) -> str:
    """The text of a message."""
    return f"The SOS triggered by {name} has been resolved. No further assistance is required."
