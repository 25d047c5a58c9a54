"""Music, podcasts, news, books and voice memos."""

from __future__ import annotations

from typing import ClassVar

from camphor.device.apps.base import App, Keyword, Name, action, context
from camphor.device.records import Record


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
