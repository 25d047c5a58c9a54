"""Plain words for DroidCall's functions: what will be done, for consent, and what was done, for the answer.

What a sentence leaves out of a call's values stands after it in brackets, so that nobody consents to what is not shown.
"""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "ACTION_SET_ALARM": ("Set an alarm for {EXTRA_HOUR}:{EXTRA_MINUTES}", "Alarm set for {EXTRA_HOUR}:{EXTRA_MINUTES}"),
    "ACTION_SET_TIMER": ("Start a timer of {duration}", "Timer of {duration} started"),
    "ACTION_SHOW_ALARMS": ("Show the alarms", "The alarms are on the screen"),
    "ACTION_INSERT_EVENT": ("Add “{TITLE}” to the calendar", "“{TITLE}” is in the calendar"),
    "ACTION_GET_RINGTONE": ("Let you choose a ringtone", "Ringtone chosen"),
    "ACTION_INSERT_CONTACT": ("Add a contact", "Contact added"),
    "ACTION_EDIT_CONTACT": ("Change the contact {contact_uri}", "Contact changed"),
    "ACTION_VIEW_CONTACT": ("Show the contact {contact_uri}", "The contact is on the screen"),
    "ACTION_PICK": ("Let you choose a contact", "Contact chosen"),
    "dial": ("Dial {phone_number}", "{phone_number} is in the dialler"),
    "web_search": ("Search the web for “{query}”", "Searched the web for “{query}”"),
    "search_location": ("Look for “{query}” on the map", "“{query}” is on the map"),
    "ACTION_IMAGE_CAPTURE": ("Take a photo", "Photo taken"),
    "ACTION_VIDEO_CAPTURE": ("Record a video", "Video recorded"),
    "INTENT_ACTION_STILL_IMAGE_CAMERA": ("Open the camera for photos", "The camera is open"),
    "INTENT_ACTION_VIDEO_CAMERA": ("Open the camera for videos", "The video camera is open"),
    "open_settings": ("Open the settings", "The settings are open"),
    "ACTION_CREATE_DOCUMENT": ("Create the document “{initial_name}”", "Document “{initial_name}” created"),
    "ACTION_OPEN_DOCUMENT": ("Let you open a document", "Document opened"),
    "ACTION_GET_CONTENT": ("Let you choose a file", "File chosen"),
    "send_message": (
        "Write a message to {phone_number}: {subject}: “{body}”",
        "Message to {phone_number} handed over: “{body}” ({subject})",
    ),
    "send_email": (
        "Write a mail to {to}, “{subject}”: “{body}”",
        "Mail to {to} handed over, “{subject}”: “{body}”",
    ),
}
"""By function: what will be done, what was done. The two look-ups are not asked about."""


def label(parameter: str) -> str:
    """A parameter's name as people read it: EXTRA_SKIP_UI is "skip ui"."""
    return parameter.removeprefix("EXTRA_").replace("_", " ").casefold()
