"""Mail and iMessage."""

from __future__ import annotations

from typing import Annotated, ClassVar

from camphor.device.apps.base import App, Content, Keyword, TimeRange, action, context
from camphor.device.conditions import interval
from camphor.device.records import Record
from camphor.tools.tool import Role


class Mail(App):
    name = "mail"
    lists: ClassVar = {"messages": ("sender", "recipients", "subject", "date", "body")}

    @context
    def get_mail_event(self, theme: Keyword | None = None, time_range: TimeRange | None = None) -> list[Record]:
        """Mails received and sent, by words, by days, or both.

        Args:
            theme: words of the mail: sender, recipients, subject or body.
            time_range: a day, or an interval with both its days.
        """
        return self.find_words("messages", theme, *interval(time_range))

    @action
    def send_mail(self, receiver: Annotated[str, Role.EMAIL], content: Content) -> Record:
        """Send a mail.

        Args:
            receiver: e-mail address of the receiver.
            content: the text of the mail.
        """
        own = [
            person["email"] for person in self.phone.people() if person.get("is_self") is True and person.get("email")
        ]
        sent = {"recipients": [receiver], "date": self.stamp(), "body": content}
        return self.records.add("messages", {"sender": own[0], **sent} if own else sent)


class IMessage(App):
    name = "imessage"
    lists: ClassVar = {"messages": ("contact", "from_me", "date", "text")}

    @context
    def get_imessage_history(self, keyword: Keyword) -> list[Record]:
        """Text messages received and sent.

        Args:
            keyword: words of the message, or the name of who it was with.
        """
        return self.find_words("messages", keyword)

    @action
    def send_imessage_message(self, receiver: Annotated[str, Role.PHONE], content: Content) -> Record:
        """Send a text message.

        Args:
            receiver: phone number of the receiver.
            content: the text of the message.
        """
        names = [person.get("name") for person in self.phone.people() if person.get("phone_number") == receiver]
        sent = {"contact": (names and names[0]) or receiver, "from_me": True, "date": self.stamp(), "text": content}
        return self.records.add("messages", sent)
