"""An app that the person names and the phone lacks: "mail Youssef" does not become a text message in silence.

A small model that cannot do what was asked does the next best thing. Code sees that a sole action belongs to another
app than the one named, and says so; whether that other way would do is the person's to say. Of 25 such wishes in
hand-written training data, none is acted on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from camphor.agents.answers import BUILT_IN_ACTIONS
from camphor.agents.policies.base import Policy, Question, Situation, at_once
from camphor.tools.tool import Toolbox
from camphor.types import Call

# By the action of an app that comes with a phone: what people call the app, and words that ask for it and no other.
_NAMED = {
    tool: (name, re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE))
    for tool, name, pattern in (
        ("send_mail", "mail", r"e-?mails?|mails?"),
        ("create_reminders", "reminders", r"remind me|reminders?"),
        ("create_notes", "notes", r"(?:a|my|the|as|into?|of it in) notes?"),
        ("play_music", "music", r"(?:a|the|that|this|some|my) (?:songs?|music)|playlist"),
        ("play_podcasts", "podcast", r"podcasts?"),
        ("download_appstore_app", "App Store", r"app ?store"),
        ("show_maps_place", "maps", r"on (?:a|the) map|maps app"),
        ("show_amazon_item", "Amazon", r"amazon"),
        ("create_instagram_post", "Instagram", r"insta(?:gram)?"),
    )
}
# Words that ask for the action that was written itself.
_OWN_WORDS = {
    "send_imessage_message": re.compile(r"\b(?:text|i?message|sms)\b", re.IGNORECASE),
    "call_contacts": re.compile(r"\b(?:call|ring|phone)\b", re.IGNORECASE),
    "create_calendar_event": re.compile(r"\b(?:calendar|diary)\b", re.IGNORECASE),
    **{tool: words for tool, (_, words) in _NAMED.items()},
}
_NOT = re.compile(r"(?:\b(?:no|not|never|without|instead of|rather than)|n['’]t)\W+(?:\w+\W+){0,2}$", re.IGNORECASE)
_MISSING = {
    tool: re.compile(
        rf"\bno {name.removesuffix('s')}s? app\b|\b{name.removesuffix('s')}s?(?: app)? isn['’]t on (?:this|your) phone",
        re.IGNORECASE,
    )
    for tool, (name, _) in _NAMED.items()
}


def absent_app(query: str, calls: Sequence[Call], toolbox: Toolbox) -> str:
    """What to say instead of these calls, where they are one action of a built-in app that was not named, in place of
    one that was and is not there; "" elsewhere.

    A word that stands in the call's values too is what the action is about ("tell Ann I love that song"), and where
    another app's definitions have it, that app may do.
    """
    if len(calls) != 1 or calls[0].name not in BUILT_IN_ACTIONS or calls[0].name == "download_appstore_app":
        return ""
    if (own := _OWN_WORDS.get(calls[0].name)) and own.search(query):
        return ""
    values = " ".join(str(value) for value in calls[0].arguments.values())
    for tool, (name, words) in _NAMED.items():
        found = words.search(query)
        if found is None or tool in toolbox or _NOT.search(query[: found.start()]):
            continue
        if not (words.search(values) or any(words.search(told) for told in _of_other_apps(toolbox))):
            return f"There is no {name} app on this phone, so I did nothing."
    return ""


def _of_other_apps(toolbox: Toolbox) -> Iterator[str]:
    """What the tools of apps that are not built in say of themselves."""
    return (tool.definition().replace("_", " ") for tool in toolbox if tool.app and tool.name not in BUILT_IN_ACTIONS)


def denies(answer: str, toolbox: Toolbox) -> bool:
    """Whether an answer says of an app that comes with a phone that it is missing, and it is there."""
    return any(missing.search(answer) for tool, missing in _MISSING.items() if tool in toolbox)


def _revise(situation: Situation, calls: tuple[Call, ...]) -> tuple[Call, ...] | Question:
    missing = absent_app(situation.query, calls, situation.toolbox)
    return Question(missing) if missing else calls


MISSING_APP = Policy("missing_app", at_once(_revise), tuned=True, first=True)
