"""Maps, Amazon and Instagram."""

from __future__ import annotations

from typing import ClassVar

from camphor.device.apps.base import App, Content, Keyword, Name, action, context
from camphor.device.records import Record


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
