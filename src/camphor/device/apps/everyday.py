"""Mail and iMessage, media, the phone itself, health, places and shops: apps with little of their own to say."""

from __future__ import annotations

from typing import Annotated, ClassVar

from camphor.device.apps.base import App, Content, Keyword, Name, TimeRange, action, context
from camphor.device.text import Record, interval
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


class Music(App):
    name = "music"
    lists: ClassVar = {"songs": ("title", "artist", "album", "played")}

    @context
    def get_music_playlist(self, keyword: Keyword) -> list[Record]:
        """Songs of the music library, and when they were last played.

        Args:
            keyword: words of the title, the artist or the album.
        """
        return self.find_words("songs", keyword)

    @action
    def play_music(self, title: Name) -> Record:
        """Play a song.

        Args:
            title: the song's title.
        """
        return self.record_use("songs", "title", title, "played")


class Podcasts(App):
    name = "podcasts"
    lists: ClassVar = {"episodes": ("title", "show", "played")}

    @context
    def get_podcasts_history(self, keyword: Keyword) -> list[Record]:
        """Podcast episodes, and when they were played.

        Args:
            keyword: words of the episode's title or of the show.
        """
        return self.find_words("episodes", keyword)

    @action
    def play_podcasts(self, title: Name) -> Record:
        """Play a podcast episode.

        Args:
            title: the episode's title.
        """
        return self.record_use("episodes", "title", title, "played")


class News(App):
    name = "news"
    lists: ClassVar = {"articles": ("title", "source", "read")}

    @context
    def get_news_history(self, keyword: Keyword) -> list[Record]:
        """News articles that the person read.

        Args:
            keyword: words of the headline or the source.
        """
        return self.find_words("articles", keyword)


class Books(App):
    name = "books"
    lists: ClassVar = {"books": ("title", "author", "progress")}

    @context
    def get_books_library(self) -> list[Record]:
        """Books of the library, and how far each is read."""
        return self.records.find("books")


class VoiceMemos(App):
    name = "voice_memos"
    lists: ClassVar = {"recordings": ("title", "date", "seconds")}

    @context
    def get_voice_recording(self, keyword: Keyword) -> list[Record]:
        """Voice memos: titles, dates and lengths.

        Args:
            keyword: words of the title.
        """
        return self.find_words("recordings", keyword)


class Settings(App):
    name = "settings"
    lists: ClassVar = {"notifications": ("app", "text", "time")}
    facts = ("cellular",)
    spans: ClassVar = {"notifications": ("time", "time")}

    @context
    def get_settings_cellular(self) -> list[Record]:
        """Mobile data used and left in this period, by app."""
        return self.records.fact("cellular")

    @context
    def get_settings_notifications(self, keyword: Keyword) -> list[Record]:
        """Notifications that apps showed.

        Args:
            keyword: words of the notification or the app's name.
        """
        return self.find_words("notifications", keyword)


class AppStore(App):
    name = "appstore"
    lists: ClassVar = {"history": ("app", "action", "date")}

    @context
    def get_appstore_history(self) -> list[Record]:
        """Apps installed, updated and deleted."""
        return self.records.find("history")

    @action
    def download_appstore_app(self, app_name: Name) -> Record:
        """Download an app.

        Args:
            app_name: the app's name.
        """
        return self.records.add("history", {"app": app_name, "action": "downloaded", "date": self.stamp()})


class Safari(App):
    name = "safari"
    lists: ClassVar = {"pages": ("title", "url", "visited")}
    spans: ClassVar = {"pages": ("visited", "visited")}

    @context
    def get_safari_history(self, keyword: Keyword) -> list[Record]:
        """Web pages that the person visited.

        Args:
            keyword: words of the title or the address.
        """
        return self.find_words("pages", keyword)


class Health(App):
    name = "health"
    lists: ClassVar = {
        "records": ("name", "value", "date"),
        "medications": ("name", "dose", "frequency", "start", "end"),
    }
    spans: ClassVar = {"medications": ("start", "end")}

    @context
    def get_health_records(self) -> list[Record]:
        """Health records: measurements and results with their dates."""
        return self.records.find("records")

    @context
    def get_health_medications(self) -> list[Record]:
        """Medications: dose, how often, since when and until when."""
        return self.records.find("medications")


class Fitness(App):
    name = "fitness"
    lists: ClassVar = {"days": ("date", "steps", "distance_km", "active_kcal", "workouts")}

    @context
    def get_fitness_summary(self) -> list[Record]:
        """Steps, distance, active energy and workouts of each day."""
        return self.records.find("days")


class Maps(App):
    name = "maps"
    lists: ClassVar = {"places": ("name", "address", "category", "latitude", "longitude")}

    @context
    def get_maps_places(self, keyword: Keyword) -> list[Record]:
        """Places saved on the map: names, addresses and categories.

        Args:
            keyword: words of the name, the address or the category.
        """
        return self.find_words("places", keyword)

    @action
    def show_maps_place(self, name: Name) -> Record:
        """Show a place on the map.

        Args:
            name: the place's name.
        """
        return self.records.add("shown", {"name": name, "date": self.stamp()})


class Amazon(App):
    name = "amazon"
    lists: ClassVar = {"orders": ("item", "date", "status", "total")}
    facts = ("account",)

    @context
    def get_amazon_information(self) -> list[Record]:
        """The person's Amazon account."""
        return self.records.fact("account")

    @context
    def get_amazon_orders(self, keyword: Keyword) -> list[Record]:
        """Orders: items, dates, status and totals.

        Args:
            keyword: words of the item or its status.
        """
        return self.find_words("orders", keyword)

    @action
    def show_amazon_item(self, name: Name) -> Record:
        """Show an item in the shop.

        Args:
            name: what the item is called.
        """
        return self.records.add("shown", {"item": name, "date": self.stamp()})


class Instagram(App):
    name = "instagram"
    lists: ClassVar = {"posts": ("content", "date", "likes")}
    facts = ("account",)

    @context
    def get_instagram_information(self) -> list[Record]:
        """The person's Instagram account: name, followers and following."""
        return self.records.fact("account")

    @context
    def get_instagram_post(self, keyword: Keyword) -> list[Record]:
        """The person's own posts, with their likes.

        Args:
            keyword: words of the post.
        """
        return self.find_words("posts", keyword)

    @action
    def create_instagram_post(self, content: Content) -> Record:
        """Publish a post.

        Args:
            content: the text of the post.
        """
        return self.records.add("posts", {"content": content, "date": self.stamp(), "likes": 0})
