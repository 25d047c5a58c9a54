"""An app that the person names and the phone lacks: "mail Youssef" does not become a text message in silence.

A small model that cannot do what was asked does the next best thing. Code sees that a sole action belongs to another
app than the one named, and says so; whether that other way would do is the person's to say. Of 54 such wishes in
hand-written training data, none is acted on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from camphor.agents.app_words import WORDS
from camphor.tools.tool import Tool
from camphor.tools.toolbox import Toolbox
from camphor.types import Call

# By the action of each app that comes with a phone: what people call it, and the words that ask for it and no other.
_NAMED = {
    tool: (name, re.compile(rf"(?<!no )(?<!not )(?<!n't )(?<!n’t )\b(?:{pattern})\b", re.IGNORECASE))
    for tool, name, pattern in (
        ("send_mail", "mail", r"e-?mails?|mails?"),
        ("create_reminders", "reminders", r"remind me|reminders?"),
        ("create_calendar_event", "calendar", r"calendar"),
        ("create_notes", "notes", r"(?:a|my|the|as|into?|of it in) notes?"),
        ("play_music", "music", r"(?:a|the|that|this|some|my) (?:songs?|music)|playlist"),
        ("play_podcasts", "podcast", r"podcasts?"),
        ("download_appstore_app", "App Store", r"app ?store"),
        ("show_maps_place", "maps", r"on (?:a|the) map|maps app"),
        ("show_amazon_item", "Amazon", r"amazon"),
        ("create_instagram_post", "Instagram", r"insta(?:gram)?"),
        ("send_imessage_message", "messages", r"text|i?message|sms"),
        ("call_contacts", "phone", r"call|ring|phone"),
    )
}

_MISSING = {
    tool: re.compile(
        rf"\bno {name.removesuffix('s')}s? app\b|\b{name.removesuffix('s')}s?(?: app)? isn['’]t on (?:this|your) phone",
        re.IGNORECASE,
    )
    for tool, (name, _) in _NAMED.items()
}


def absent_app(query: str, calls: Sequence[Call], toolbox: Toolbox) -> str:
    """What to say instead of these calls, where they are one action in an app that was not named, in place of one that
    was and is not there; "" elsewhere."""
    if len(calls) != 1 or calls[0].name not in toolbox:
        return ""
    tool = toolbox.get(calls[0].name)
    named = {action: (name, words) for action, (name, words) in _NAMED.items() if words.search(query)}
    missing = [(name, words) for action, (name, words) in named.items() if action not in toolbox]
    if tool.name in named or not missing:
        return ""
    if tool.name not in WORDS and _fits(tool, query, [words for _, words in named.values()]):
        return ""
    return f"There is no {missing[0][0]} app on this phone, so I did nothing."


def denies(answer: str, toolbox: Toolbox) -> bool:
    """Whether an answer says of an app that comes with a phone that it is missing, and it is there."""
    return any(missing.search(answer) for tool, missing in _MISSING.items() if tool in toolbox)


def _fits(tool: Tool, query: str, named: Sequence[re.Pattern[str]]) -> bool:
    """Whether an action of another app may be meant by what was named: its definition has such a word, or the query
    has the app's name."""
    told = f"{tool.definition()} {tool.app}".replace("_", " ")
    return tool.app.casefold() in query.casefold() or any(words.search(told) for words in named)
