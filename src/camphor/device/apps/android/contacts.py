"""The address book and the dialler of an Android phone."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from camphor.device.android import values
from camphor.device.android.intent import ContactQuery, Intent
from camphor.device.apps.android.base import AndroidApp, next_number, text_extra, without_blanks
from camphor.device.normalise import describe
from camphor.device.people import find_people
from camphor.device.records import Record
from camphor.errors import AmbiguousValue, UnknownValue

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
        number = values.decoded(intent.data.removeprefix("tel:"))
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
