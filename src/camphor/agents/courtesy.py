"""Thanks, greetings and farewells: words that ask for nothing, which code answers.

A small model that is thanked looks for something to do: "thanks!" became a message to the person last spoken of.
"""

from __future__ import annotations

import re

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
