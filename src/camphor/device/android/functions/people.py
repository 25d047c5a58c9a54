"""Contact management: the address book and phone calls.

Intents: developer.android.com, "Common intents" (contacts, phone) and `android.provider.ContactsContract`.
"""
# ruff: noqa: N802  the names are DroidCall's

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from camphor.device.android import intent
from camphor.device.android.intent import ContactQuery, Extra, Intent, Uri
from camphor.tools.tool import Role

_PICKED = {
    "ALL": "vnd.android.cursor.dir/contact",
    "PHONE": "vnd.android.cursor.dir/phone_v2",
    "EMAIL": "vnd.android.cursor.dir/email_v2",
    "ADDRESS": "vnd.android.cursor.dir/postal-address_v2",
}
_ONE_CONTACT = "vnd.android.cursor.item/contact"


class ContactInfo(TypedDict, total=False):
    """What is known of a contact.

    Args:
        name: The whole name.
        phone: The phone number.
        email: The e-mail address.
        company: Where the contact works.
        address: The postal address.
    """

    name: str
    # what is new of a contact is not looked up among the contacts
    phone: Annotated[str, Role.TEXT]
    email: Annotated[str, Role.TEXT]
    company: str
    address: str


def ACTION_INSERT_CONTACT(contact_info: ContactInfo) -> Intent:
    """Open the form for a new contact, already filled in.

    Args:
        contact_info: What is known of the contact.
    """
    extras: dict[str, Extra] = {**intent.contact("ACTION_INSERT_CONTACT", "contact_info", contact_info)}
    return Intent("android.intent.action.INSERT", type=_PICKED["ALL"], extras=extras)


def ACTION_EDIT_CONTACT(contact_uri: str, contact_info: ContactInfo | None = None) -> Intent:
    """Open the form of a contact that exists, with new details filled in.

    Args:
        contact_uri: Content URI of the contact, from ACTION_PICK or get_contact_info.
        contact_info: What is new of the contact.
    """
    tool = "ACTION_EDIT_CONTACT"
    extras: dict[str, Extra] = {**intent.contact(tool, "contact_info", contact_info)} if contact_info else {}
    # without it the form stays open over the app that asked (ContactsContract.Intents, since Android 4.0)
    extras["finishActivityOnSaveCompleted"] = True
    data = intent.contact_uri(tool, "contact_uri", contact_uri)
    return Intent("android.intent.action.EDIT", data, _ONE_CONTACT, extras)


def ACTION_VIEW_CONTACT(contact_uri: str) -> Intent:
    """Show what the address book has of a contact.

    Args:
        contact_uri: Content URI of the contact, from ACTION_PICK or get_contact_info.
    """
    data = intent.contact_uri("ACTION_VIEW_CONTACT", "contact_uri", contact_uri)
    return Intent("android.intent.action.VIEW", data)


def ACTION_PICK(data_type: Literal["ALL", "PHONE", "EMAIL", "ADDRESS"] = "ALL") -> Intent:
    """Let the person choose a contact, or one number, e-mail address or postal address of a contact.

    Args:
        data_type: What is to be chosen: a whole contact (ALL), or a contact's PHONE, EMAIL or ADDRESS.

    Returns:
        Content URI of what was chosen.
    """
    kind = intent.one_of("ACTION_PICK", "data_type", data_type, _PICKED)
    return Intent("android.intent.action.PICK", type=kind)


def get_contact_info(
    name: Annotated[str, Role.PERSON], key: Literal["email", "phone", "address", "uri"]
) -> ContactQuery:
    """Look up a contact by name.

    Args:
        name: Name of the contact.
        key: What is wanted: the email address, the phone number, the postal address, or the uri with which the contact
            can be shown and edited.

    Returns:
        The value asked for.
    """
    tool = "get_contact_info"
    intent.one_of(tool, "key", key, {each: each for each in ("email", "phone", "address", "uri")})
    return ContactQuery(key, name=intent.said(tool, "name", name))


def get_contact_info_from_uri(contact_uri: str, key: Literal["email", "phone", "address"]) -> ContactQuery:
    """Look up a contact by its content URI.

    Args:
        contact_uri: Content URI of the contact, such as ACTION_PICK gives.
        key: What is wanted: the email address, the phone number or the postal address.

    Returns:
        The value asked for.
    """
    tool = "get_contact_info_from_uri"
    intent.one_of(tool, "key", key, {each: each for each in ("email", "phone", "address")})
    return ContactQuery(key, uri=intent.contact_uri(tool, "contact_uri", contact_uri))


def dial(phone_number: Annotated[str, Role.PHONE]) -> Intent:
    """Open the dialler with a number, ready to call.

    Args:
        phone_number: The number to call, as people write it: "2125551212", "(212) 555 1212".
    """
    return Intent(
        "android.intent.action.DIAL", "tel:" + intent.number_part("dial", "phone_number", phone_number, dialled=True)
    )


# Messaging services: text messages and mail.
#
# Intents: developer.android.com, "Common intents" (text messaging, email).

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
    to = "smsto:" + intent.number_part(tool, "phone_number", phone_number)
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
    extras: dict[str, Extra] = {_EXTRA + "EMAIL": intent.addresses(tool, "to", to)}
    if cc:
        extras[_EXTRA + "CC"] = intent.addresses(tool, "cc", cc)
    if bcc:
        extras[_EXTRA + "BCC"] = intent.addresses(tool, "bcc", bcc)
    extras |= {_EXTRA + "SUBJECT": subject, _EXTRA + "TEXT": body}
    files = _files(tool, attachments)
    if not files:
        # only mail apps answer this one
        return Intent("android.intent.action.SENDTO", "mailto:", extras=extras)
    if len(files) == 1:
        return Intent("android.intent.action.SEND", type="*/*", extras={**extras, _EXTRA + "STREAM": files[0]})
    return Intent("android.intent.action.SEND_MULTIPLE", type="*/*", extras={**extras, _EXTRA + "STREAM": files})


def _files(tool: str, attachments: list[str] | None) -> tuple[Uri, ...]:
    return tuple(Uri(intent.uri(tool, "attachments", each)) for each in attachments or ())
