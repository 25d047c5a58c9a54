"""Settings, the App Store and Safari."""

from __future__ import annotations

from typing import ClassVar

from camphor.device.apps.base import App, Keyword, Name, action, context
from camphor.device.records import Record


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
