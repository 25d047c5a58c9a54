"""The apps of a simulated Android phone, in DroidCall's groups (section 3.2.2): those for people, and what all share.

They get what apps on a phone get, an intent, and do what a person at the phone would then have done: save the form,
take the photo, send the message. Where a person chooses, the choice follows from the records alone, so that it is the
same every time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from camphor.device.android.intent import ContactQuery, Intent, decoded
from camphor.device.android.toolbox import intent_of
from camphor.device.apps.base import App
from camphor.device.normalise import describe
from camphor.device.people import find_people
from camphor.device.text import Record
from camphor.errors import AmbiguousValue, ToolError, UnknownValue
from camphor.types import Call


class AndroidApp(App):
    """Base of the Android apps. The tools are the functions of `android.toolbox` under the app's name."""

    def check(self, tool: str, arguments: Mapping[str, Any]) -> None:
        intent_of(Call(tool, arguments), self.phone.zone)

    @property
    def elsewhere(self) -> bool:  # type: ignore[override]
        """On a connected device the phone itself acts."""
        return self.phone.real() is not None

    def run(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        asked = intent_of(Call(tool, arguments), self.phone.zone)
        real = self.phone.real()
        if isinstance(asked, ContactQuery):
            return [real.answer(tool, asked) if real else self.answer(tool, asked)]
        return real.start(asked) if real else self.start(tool, asked)

    def start(self, tool: str, intent: Intent) -> Record:
        """Does what the intent asks for. Gives the record written or chosen; a `result` in it goes back to the caller.

        Raises:
            UnknownValue: it is about something that is not on the phone.
        """
        raise ToolError(f"{self.name} has no screen for {intent.action}")

    def answer(self, tool: str, query: ContactQuery) -> Record:
        """Answers a look-up. Raises: UnknownValue, AmbiguousValue."""
        raise ToolError(f"{self.name} has no address book")


def text_extra(intent: Intent, name: str) -> str:
    """An extra's text; "" where the intent has no such extra."""
    return str(intent.extras.get(name, ""))


def without_blanks(**fields: Any) -> dict[str, Any]:
    """A record of the fields that say something."""
    return {name: value for name, value in fields.items() if value not in ("", None, (), [])}


def next_number(taken: list[str]) -> int:
    """One more than the largest number that ends any of the texts, from 1."""
    tails = [text.rsplit("/", 1)[-1] for text in taken]
    return max((int(tail) for tail in tails if tail.isascii() and tail.isdigit()), default=0) + 1


_BOOK = "content://com.android.contacts/"
# extras of the contact form, and the fields of a record
_FIELDS = {"name": "name", "phone": "phone_number", "email": "email", "company": "company", "postal": "address"}
_OF_KEY = {"phone": "phone_number", "email": "email", "address": "address"}
_OF_TYPE = {
    "vnd.android.cursor.dir/phone_v2": "phone_number",
    "vnd.android.cursor.dir/email_v2": "email",
    "vnd.android.cursor.dir/postal-address_v2": "address",
}
# Contact 3's data rows are data/30, data/31 and data/32: invented, for Android's numbers say nothing about the contact.
_ROWS = ("phone_number", "email", "address")
_ID = re.compile(r"/(contacts|people|raw_contacts|data)/(?:lookup/[^/]+/)?(\d{1,12})(?:/|$)")

Row = tuple[int, dict[str, Any]]


class AndroidContacts(AndroidApp):
    name = "android_contacts"
    lists: ClassVar = {
        "contacts": ("contact_id", "name", "phone_number", "email", "address", "company", "relationship", "is_self"),
        "calls": ("name", "phone_number", "date"),
        "opened": ("name", "contact_uri", "date"),
    }

    def start(self, tool: str, intent: Intent) -> Record:
        match intent.action:
            case "android.intent.action.INSERT":
                taken = [str(number_of(row)) for row in self.records.rows("contacts")]
                return self.records.add("contacts", {"contact_id": str(next_number(taken)), **_details(intent)})
            case "android.intent.action.EDIT":
                ordinal, contact = self._at(tool, intent.data)
                changed = {**contact, **_details(intent)}
                self.records.change("contacts", ordinal, changed)
                return changed
            case "android.intent.action.VIEW":
                _, contact = self._at(tool, intent.data)
                seen = without_blanks(name=contact.get("name"), contact_uri=intent.data, date=self.stamp())
                return self.records.add("opened", seen)
            case "android.intent.action.PICK":
                return self._pick(tool, intent)
            case "android.intent.action.DIAL":
                return self._dial(intent)
        return super().start(tool, intent)

    def answer(self, tool: str, query: ContactQuery) -> Record:
        """The detail of the contact meant. A name that fits several is ambiguous, as everywhere on a device."""
        row = self._at(tool, query.uri) if query.uri else self._called(tool, query.name)
        if query.key == "uri":
            return without_blanks(name=row[1].get("name"), result=contact_uri(row))
        found = row[1].get(_OF_KEY[query.key])
        if not found:
            there = [key for key, field in _OF_KEY.items() if row[1].get(field)]
            whose = row[1].get("name") or "this contact"
            known = f"{' or '.join(there)}, which {whose} has" if there else f"another contact: {whose} has none"
            raise UnknownValue(tool, "key", query.key, known)
        return without_blanks(name=row[1].get("name"), result=found)

    def _called(self, tool: str, name: str) -> Row:
        rows = self.records.rows("contacts")
        people = [contact for _, contact in rows]
        found = find_people(name, people)
        if not found:
            raise UnknownValue(tool, "name", name, "the name of a contact")
        if len(found) > 1:
            raise AmbiguousValue(tool, "name", name, [describe(person) for person in found])
        return next(row for row in rows if row[1] is found[0])

    def _at(self, tool: str, uri: str) -> Row:
        """The contact with this URI, or that has the datum with this URI."""
        found = _ID.search(uri)
        number = (int(found[2]) // 10 if found[1] == "data" else int(found[2])) if found else None
        for row in self.records.rows("contacts"):
            if number is not None and number_of(row) == number:
                return row
        known = "the URI of a contact that exists, such as ACTION_PICK or get_contact_info gives"
        raise UnknownValue(tool, "contact_uri", uri, known)

    def _pick(self, tool: str, intent: Intent) -> Record:
        """The contact that was called or opened last, else the one that was added last, of those that have the datum.

        The owner's own card is not picked.
        """
        field = _OF_TYPE.get(intent.type, "")
        rows = [row for row in self.records.rows("contacts") if not row[1].get("is_self")]
        rows = [row for row in rows if not field or row[1].get(field)]
        if not rows:
            kind = field.replace("_", " ") or "contact"
            raise UnknownValue(tool, "data_type", kind, "a kind of data that a contact on this phone has")
        used = {str(name): str(date) for name, date in self._uses()}
        chosen = max(rows, key=lambda row: (used.get(str(row[1].get("name") or ""), ""), row[0]))
        result = f"{_BOOK}data/{number_of(chosen) * 10 + _ROWS.index(field)}" if field else contact_uri(chosen)
        return without_blanks(name=chosen[1].get("name"), result=result)

    def _uses(self) -> list[tuple[Any, Any]]:
        """Names with the time of each call and look, oldest first."""
        records = [*self.records.find("calls"), *self.records.find("opened")]
        used = [(record["name"], record["date"]) for record in records if record.get("name") and record.get("date")]
        return sorted(used, key=lambda use: str(use[1]))

    def _dial(self, intent: Intent) -> Record:
        """The call, which the person begins."""
        number = decoded(intent.data.removeprefix("tel:"))
        people = [contact for _, contact in self.records.rows("contacts")]
        names = [person.get("name") for person in find_people(number, people)]
        known = names[0] if len(names) == 1 else ""
        return self.records.add("calls", without_blanks(name=known, phone_number=number, date=self.stamp()))


def number_of(row: Row) -> int:
    """The contact's number in the address book: its `contact_id` or, where it has none, its place in the list."""
    written = str(row[1].get("contact_id", ""))
    return int(written) if written.isascii() and written.isdigit() else row[0] + 1


def contact_uri(row: Row) -> str:
    return f"{_BOOK}contacts/{number_of(row)}"


def _details(intent: Intent) -> dict[str, str]:
    return {field: text_extra(intent, extra) for extra, field in _FIELDS.items() if extra in intent.extras}


_EXTRA = "android.intent.extra."


class AndroidMessaging(AndroidApp):
    name = "android_messaging"
    lists: ClassVar = {
        "messages": ("contact", "phone_number", "from_me", "date", "subject", "text", "attachments"),
        "mails": ("sender", "recipients", "cc", "bcc", "subject", "date", "body", "attachments"),
    }

    def start(self, tool: str, intent: Intent) -> Record:
        """Sends what was written: the person has been asked before."""
        if intent.data.startswith("smsto:"):
            return self._message(intent)
        if _EXTRA + "EMAIL" in intent.extras:
            return self._mail(intent)
        return super().start(tool, intent)

    def _message(self, intent: Intent) -> Record:
        number = decoded(intent.data.removeprefix("smsto:"))
        names = [person.get("name") for person in find_people(number, self.phone.people())]
        sent = without_blanks(
            contact=names[0] if len(names) == 1 else "",
            phone_number=number,
            from_me=True,
            date=self.stamp(),
            subject=text_extra(intent, "subject"),
            text=text_extra(intent, "sms_body"),
            attachments=_listed(intent, "STREAM"),
        )
        return self.records.add("messages", sent)

    def _mail(self, intent: Intent) -> Record:
        own = [person["email"] for person in self.phone.people() if person.get("is_self") and person.get("email")]
        sent = without_blanks(
            sender=own[0] if own else "",
            recipients=_listed(intent, "EMAIL"),
            cc=_listed(intent, "CC"),
            bcc=_listed(intent, "BCC"),
            subject=text_extra(intent, _EXTRA + "SUBJECT"),
            date=self.stamp(),
            body=text_extra(intent, _EXTRA + "TEXT"),
            attachments=_listed(intent, "STREAM"),
        )
        return self.records.add("mails", sent)


def _listed(intent: Intent, extra: str) -> list[Any]:
    """The values of an extra that is one or several."""
    value = intent.extras.get(_EXTRA + extra, ())
    return [str(each) for each in value] if isinstance(value, tuple) else [str(value)]
