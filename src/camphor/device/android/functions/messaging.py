"""Messaging services: text messages and mail.

Intents: developer.android.com, "Common intents" (text messaging, email).
"""

from __future__ import annotations

from typing import Annotated

from camphor.device.android import values
from camphor.device.android.intent import Extra, Intent, Uri
from camphor.tools.tool import Role

Emails = Annotated[list[str], Role.EMAIL]

_EXTRA = "android.intent.extra."


def send_message(
    phone_number: Annotated[str, Role.PHONE], subject: str, body: str, attachments: list[str] | None = None
) -> Intent:
    """Write a text message to a phone number, with files if there are any.

    Args:
        phone_number: The number that the message goes to.
        subject: What the message is about.
        body: The text of the message.
        attachments: Content URIs of files that go with it.
    """
    tool = "send_message"
    to = "smsto:" + values.number_part(tool, "phone_number", phone_number)
    extras: dict[str, Extra] = {"subject": subject, "sms_body": body}
    files = _files(tool, attachments)
    if not files:
        return Intent("android.intent.action.SENDTO", to, extras=extras)
    if len(files) == 1:
        return Intent("android.intent.action.SENDTO", to, extras={**extras, _EXTRA + "STREAM": files[0]})
    return Intent("android.intent.action.SEND_MULTIPLE", to, "*/*", {**extras, _EXTRA + "STREAM": files})


def send_email(
    to: Emails,
    subject: str,
    body: str,
    cc: Emails | None = None,
    bcc: Emails | None = None,
    attachments: list[str] | None = None,
) -> Intent:
    """Write a mail to one or more people, with files if there are any.

    Args:
        to: E-mail addresses of those it goes to.
        subject: What the mail is about.
        body: The text of the mail.
        cc: E-mail addresses of those who get a copy that all see.
        bcc: E-mail addresses of those who get a copy that the others do not see.
        attachments: Content URIs of files that go with it.
    """
    tool = "send_email"
    extras: dict[str, Extra] = {_EXTRA + "EMAIL": values.addresses(tool, "to", to)}
    if cc:
        extras[_EXTRA + "CC"] = values.addresses(tool, "cc", cc)
    if bcc:
        extras[_EXTRA + "BCC"] = values.addresses(tool, "bcc", bcc)
    extras |= {_EXTRA + "SUBJECT": subject, _EXTRA + "TEXT": body}
    files = _files(tool, attachments)
    if not files:
        # only mail apps answer this one
        return Intent("android.intent.action.SENDTO", "mailto:", extras=extras)
    if len(files) == 1:
        return Intent("android.intent.action.SEND", type="*/*", extras={**extras, _EXTRA + "STREAM": files[0]})
    return Intent("android.intent.action.SEND_MULTIPLE", type="*/*", extras={**extras, _EXTRA + "STREAM": files})


def _files(tool: str, attachments: list[str] | None) -> tuple[Uri, ...]:
    return tuple(Uri(values.uri(tool, "attachments", each)) for each in attachments or ())
