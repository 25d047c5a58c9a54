"""Thanks, greetings and farewells: words that ask for nothing, which code answers.

A small model that is thanked looks for something to do: "thanks!" became a message to the person last spoken of.
"""

from __future__ import annotations

import re
from datetime import datetime

_SOFT = r"(?:(?:oh|ah|ok|okay|right|great|perfect|lovely|cool|nice|brilliant|super|wonderful|alright|and|well)\W+)*"
_YOU = r"(?:\W+(?:camphor|there|again|mate|dear|love|friend|everyone|now|then|all))*"
_REPLIES = (
    (
        rf"{_SOFT}(?:many |much )?(?:thanks|thank you|thankyou|thx|cheers|ta|ty|much obliged|much appreciated)"
        r"(?: (?:a lot|a million|a bunch|so much|very much|so very much|ever so much|loads|indeed"
        r"|for (?:that|this|everything|(?:your|the|all your) help|helping(?: me)?)))*"
        r"(?:\W+(?:that's|that is|that was) (?:great|perfect|lovely|all|it|very kind|very helpful|helpful))?"
        rf"(?:\W+(?:good night|bye|goodbye))?{_YOU}",
        "You're welcome.",
    ),
    (
        rf"{_SOFT}(?:good ?night|good ?bye|bye|bye bye|see you|see you later|see ya|sleep well|talk later)"
        r"(?: (?:later|soon|tomorrow))?" + _YOU,
        "Goodbye.",
    ),
    (
        r"(?:hi|hello|hey|hiya|howdy|good ?(?:morning|afternoon|evening|day)|morning|evening|greetings)" + _YOU,
        "Hello. Tell me what you need.",
    ),
    (
        r"(?:(?:oh|ok|okay|right|great|perfect|lovely|cool|nice|brilliant|super|wonderful|alright|good|fine|well done|"
        r"awesome|excellent|got it|good job|all good|that's all|that is all|never ?mind)\W*)+" + _YOU,
        "Good.",
    ),
)
_PATTERNS = tuple((re.compile(rf"\W*{pattern}\W*", re.IGNORECASE), reply) for pattern, reply in _REPLIES)


def courtesy(query: str) -> str:
    """The reply to words that ask for nothing; "" for any others."""
    return next((reply for pattern, reply in _PATTERNS if pattern.fullmatch(query)), "")


_BEFORE = (
    r"(?:(?:hi|hey|hello|ok|okay|so|and|um|please|sorry|excuse me|good (?:morning|afternoon|evening|day))\W+)*"
    r"(?:(?:can|could|would|will) you (?:please )?(?:tell|give) me |(?:please )?(?:tell|give|show) me "
    r"|do you (?:know|have) (?=the )|i need (?:to know )?(?=the ))?"
)
_THING = (
    r"(?:(?:the |today['’]?s )?(?:exact |current |right )?(?:time|hour|date|day|day of the week|weekday|year|month))"
)
_AFTER = (
    r"(?:,? (?:is it|it is|do we have|is today|today is))?(?:,? (?:today|now|right now|just now|at the moment|here))*"
    r"(?:\W+(?:please|pls|plz|thanks|thank you|cheers|mate|dear|love))*"
)
_ASKED = re.compile(
    rf"\W*{_BEFORE}(?:(?:what|which)(?:['’]?s| is)? )?{_THING}(?:(?: and |, ){_THING})*{_AFTER}\W*", re.IGNORECASE
)
_WHAT = re.compile(r"\b(?:what|which|tell|give|show|know|have|need)", re.IGNORECASE)


def clock(query: str, now: datetime) -> str:
    """Day and time, where that is all that is asked for; "" elsewhere."""
    if not (_ASKED.fullmatch(query) and _WHAT.search(query)):
        return ""
    return f"It is {now:%A} {now.day} {now:%B %Y}, {now:%H:%M}."
