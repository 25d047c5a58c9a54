"""Text messages and mail of an Android phone."""

from __future__ import annotations

from typing import Any, ClassVar

from camphor.device.android import values
from camphor.device.android.intent import Intent
from camphor.device.apps.android.base import AndroidApp, text_extra, without_blanks
from camphor.device.people import find_people
from camphor.device.records import Record

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
        number = values.decoded(intent.data.removeprefix("smsto:"))
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
