"""Plain words for the actions of a phone's own apps: what will be done, for consent, and what was done, for the answer.

What a sentence leaves out of a call's values stands after it in brackets, so that nobody consents to what is not shown.
"""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "send_imessage_message": (
        "Send a message to {receiver}: “{content}”",
        "Message to {receiver} sent: “{content}”",
    ),
    "send_mail": ("Send a mail to {receiver}: “{content}”", "Mail to {receiver} sent: “{content}”"),
    "create_reminders": ("Set a reminder for {time}: “{content}”", "Reminder set for {time}: “{content}”"),
    "create_calendar_event": (
        "Add to the calendar, {time}: “{event_title}”",
        "In the calendar, {time}: “{event_title}”",
    ),
    "cancel_calendar_event": ("Cancel the calendar event “{event_title}”", "Cancelled: “{event_title}”"),
    "create_notes": ("Write a note: “{content}”", "Note written: “{content}”"),
    "call_contacts": ("Call {person}", "Calling {person}"),
    "play_music": ("Play the music “{title}”", "Playing “{title}”"),
    "play_podcasts": ("Play the podcast “{title}”", "Playing the podcast “{title}”"),
    "download_appstore_app": ("Download the app “{app_name}”", "Downloading “{app_name}”"),
    "show_maps_place": ("Show “{name}” on the map", "“{name}” is on the map"),
    "show_amazon_item": ("Show “{name}” on Amazon", "“{name}” is open on Amazon"),
    "create_instagram_post": ("Post on Instagram: “{content}”", "Posted: “{content}”"),
}
"""By action: what will be done, what was done."""
