"""How people say that something is to be remembered or forgotten, or ask what is: recognised by code, before any model.

The ways, after a polite opening ("please", "could you", "I want you to"), each with or without "that":

    remember   remember, keep in mind, bear in mind, memorise, learn, don't forget, never forget  + a statement
               save, store, put, add, commit to (your) memory  + a statement
               for future reference, just so you know, FYI, you should know  + a statement
               a statement  + , remember that
    forget     forget, don't remember, stop remembering  + a statement, or what I told you about ...
               delete, erase, remove  ... from your memory, what you know about ...
               forget everything about me, wipe your memory; forget the last thing I told you
    ask        what do you know about me, what do you remember about ..., what have I told you, show me your memories
               how do you know that?

A statement has somebody or something and says of it what it is (`facts`). So "remember to ring Nora", "don't
forget the milk", "remind me that ..." and "forget it" are none of these: the agents get them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from camphor.agents.memory.facts import Fact, read_fact


@dataclass(frozen=True)
class Remember:
    """To keep this."""

    fact: Fact


@dataclass(frozen=True)
class Forget:
    """To delete what is remembered about this; of everything, of the memory of that number, or of the last one.

    `sure`: it is said to be about what was told; otherwise it may mean something else, and counts only where a memory
    is about it.
    """

    about: str = ""
    fact: Fact | None = None
    everything: bool = False
    last: bool = False
    number: int | None = None
    sure: bool = True


@dataclass(frozen=True)
class Recall:
    """To tell what is remembered about this, "" for all; `source`: where the last one came from; `sure` as before."""

    about: str = ""
    source: bool = False
    sure: bool = True


Wish = Remember | Forget | Recall

_OPENING = re.compile(
    r"^(?:(?:hey|hi|hello|ok|okay|please|so|and|oh|um|uh|well|also|alright|right|now|listen|by the way|btw"
    r"|kindly|just|camphor|"
    r"one more thing|from now on|no)[,:!. ]+)*"
    r"(?:(?:can|could|would|will|can't|won't) you (?:please |kindly |just |also )*|i(?:'d| would) like you to"
    r" (?:also )?|"
    r"i (?:want|need) you to (?:also )?|you (?:can|may|should|must|need to) (?:also |now )?|try to |be sure to |"
    r"make sure (?:to |you |that you )|let's )?(?:please )?",
    re.I,
)
_CLOSING = re.compile(
    r"[,. ]*(?:(?:please|thanks|thank you|thx|ok|okay|will you|would you|for me|for later|for next time|from now on|"
    r"for the future|if you can|right)[,.!? ]*)*[.!? ]*$",
    re.I,
)
_KEEP = re.compile(
    r"(?P<verb>remember|keep in mind|bear in mind|memori[sz]e|learn|take into account|make a mental note|"
    r"take a mental note|(?:do not|don't|dont|never)(?: you)?(?: ever)? forget|don't you forget)"
    r"(?: for me| for later| for the future)?(?P<how>(?: the following| this| that| of the fact that| the fact that)?"
    r"\s?[:,]?(?: that)?) (?P<said>.+)",
    re.I,
)
_STORE = re.compile(
    r"(?:save|store|put|add|write|commit|keep|log|note)(?: this| that| it| the following)?(?: down)? (?:in|into|to|on)"
    r" (?:your |the |my )?(?:long[- ]term )?memory(?: that|[:,]| this:)* (?P<said>.+)",
    re.I,
)
_TELL = re.compile(
    r"(?:for (?:future|your) reference|for (?:your|the) (?:information|record)|fyi|(?:just )?so (?:that )?you know|"
    r"(?:you|i) (?:should|ought to|might want to|want you to|'d like you to) know|good to know)[:,]?(?: that)?"
    r" (?P<said>.+)",
    re.I,
)
_AFTER = re.compile(
    r"(?P<said>.+?)[.,;:!]+ ?(?:so |and )?(?:please )?(?:(?:remember|don't forget|never forget|memori[sz]e)"
    r" (?:that|this|it)|"
    r"keep (?:that|this|it) in mind)",
    re.I,
)
_ACTS = re.compile(
    r"(?:,|;|\.| and| then| but)+ (?:please |also |then |could you |can you )*(?:text|tell|call|ring|phone|send"
    r"|mail|email|"
    r"message|remind|set|book|play|cancel|move|add|put|create|make|show|open|note|write|order|search|look|find|get)\b",
    re.I,
)

_SAID = (
    r"(?:said|told you|tell you|mentioned|say|asked you to (?:remember|keep)|just (?:said|told you))"
    r"(?: to you| earlier)?"
)
_WHAT = r"(?:everything|all|anything|whatever|what|the thing|the things|all the things|stuff)"
_KNOWN = r"(?:know|remember|have|have stored|have saved|stored|saved|keep|kept|noted|learned|learnt|think you know)"
_DROP = r"(?:forget|delete|erase|remove|clear|wipe|drop|unlearn|scrub)"
_ABOUT = r"(?:about|on|of|regarding|concerning)"
_SELF = r"(?:me|myself|us|my life|me and my life)"
_MEMORY = r"(?:memory|memories|long[- ]term memory)"
_FORGET_STATEMENT = re.compile(
    r"(?:(?:forget|unlearn|delete|erase)(?: the fact)?(?: that)?|don't remember that"
    r"|stop remembering(?: that)?) (?P<said>.+)",
    re.I,
)
_FORGET_ALL = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"forget (?:everything|all)(?: {_ABOUT} {_SELF})?",
        rf"{_DROP} (?:everything|all|whatever) (?:that )?(?:you(?:'ve)? {_KNOWN}|i(?:'ve| have)?(?: ever)? {_SAID})"
        rf"(?: {_ABOUT} {_SELF})?(?: (?:from|in) (?:your )?{_MEMORY})?",
        rf"{_DROP} (?:everything|all) (?:from|in) your {_MEMORY}",
        rf"{_DROP} (?:what|anything) (?:that )?(?:you {_KNOWN}|i(?:'ve| have)? {_SAID}) {_ABOUT} {_SELF}",
        rf"(?:clear|erase|wipe|empty|delete|reset|clean|forget)(?: out)?(?: all)?(?: of)? (?:your|the|my)"
        rf" (?:whole |entire )?{_MEMORY}"
        rf"(?: {_ABOUT} {_SELF})?",
        rf"{_DROP} (?:all|every) memor(?:y|ies)(?: {_ABOUT} {_SELF})?",
        rf"forget {_SELF}(?: completely| entirely)?",
    )
)
_FORGET_ABOUT = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"{_DROP} {_WHAT} (?:that )?(?:i(?:'ve| have)?(?: ever)? {_SAID}|you(?:'ve| have)? {_KNOWN}) {_ABOUT}"
        rf" (?P<about>.+)",
        rf"{_DROP} (?:everything|all|anything) {_ABOUT} (?P<about>.+?)(?: (?:from|in) your {_MEMORY})",
        rf"{_DROP} (?P<about>.+?) (?:from|in|out of) (?:your|the) {_MEMORY}",
        rf"{_DROP} (?:(?:all )?(?:the|your|my|any) )?memor(?:y|ies) {_ABOUT} (?P<about>.+)",
        rf"(?:stop remembering|(?:there's )?no need to remember|no longer remember)(?: {_WHAT} (?:i {_SAID}"
        rf"|you {_KNOWN})"
        rf" {_ABOUT})? (?P<about>.+?)(?: any ?more)?",
        rf"(?:don't|do not|no longer|never again) remember {_WHAT}? ?(?:i(?:'ve)? {_SAID})? ?{_ABOUT}"
        rf" (?P<about>.+?)(?: any ?more)?",
    )
)
_FORGET_SOFTLY = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        r"(?:forget|unlearn)(?: about| all about| everything about)? (?P<about>(?:my|our) [^,;.]+)",
        r"(?:forget|unlearn)(?: all| everything)? about (?P<about>(?!it$|that$|this$|them$|him$|her$)[^,;.]+)",
        rf"{_DROP} {_WHAT} i(?:'ve| have)? (?:said|mentioned) {_ABOUT} (?P<about>.+)",
    )
)
_FORGET_LAST = re.compile(
    rf"{_DROP} (?:the (?:last|latest|most recent|previous) (?:thing|memory|fact)(?: (?:that )?(?:i {_SAID}|you"
    rf" (?:noted|kept|saved|learned)))?|"
    r"what i(?:'ve| have)? just (?:said|told you)(?: to you)?|what you just (?:noted|learned|saved|remembered"
    r"|kept)|that (?:memory|fact))",
    re.I,
)
_FORGET_NUMBER = re.compile(
    rf"{_DROP} (?:memory|fact|number|no\.?|memory number|the memory number) ?#?(?P<number>\d+)", re.I
)

_SO_FAR = r"(?: so far| by now| already| until now| up to now| at the moment| right now)?"
_RECALL_ALL = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"what (?:all )?(?:do|did|have) you (?:actually |really |still )?(?:know|remember|learn|learned|store"
        rf"|stored|keep|kept|saved|noted|have)"
        rf"(?: stored| saved| noted)? {_ABOUT} {_SELF}{_SO_FAR}",
        rf"what (?:all )?do you (?:still )?remember{_SO_FAR}",
        rf"what (?:things |facts |all )?(?:have|did) i (?:ever )?(?:told|tell) you(?: {_ABOUT} {_SELF})?{_SO_FAR}",
        rf"what (?:have|did) i (?:asked|ask) you to (?:remember|keep in mind){_SO_FAR}",
        rf"(?:show|list|tell|give|read)(?: me)? (?:everything|all|what"
        rf"|all that)(?: that)? you(?:'ve)? {_KNOWN}(?: {_ABOUT} {_SELF})?{_SO_FAR}",
        rf"(?:show|list|open|see|let me see|read|tell)(?: me)?(?: all)?(?: of)? (?:your|my|the) memor(?:y"
        rf"|ies)(?: {_ABOUT} {_SELF})?",
        rf"(?:what(?:'s| is)|what do you have|is there anything) (?:stored )?in your memory(?: {_ABOUT} {_SELF})?",
        rf"(?:what|which) (?:facts|things|memories|preferences) (?:do|have) you (?:know|remember|have|kept|keep"
        rf"|stored)(?: {_ABOUT} {_SELF})?",
        rf"do you (?:know|remember) (?:anything|something|things) {_ABOUT} {_SELF}",
        rf"how much do you know {_ABOUT} {_SELF}",
    )
)
_RECALL_ABOUT: tuple[tuple[re.Pattern[str], bool], ...] = tuple(
    (re.compile(pattern, re.I), sure)
    for pattern, sure in (
        (rf"what (?:else )?do you (?:still )?remember {_ABOUT} (?P<about>.+)", True),
        (rf"what (?:have|did) i (?:ever )?(?:told|tell) you {_ABOUT} (?P<about>.+)", True),
        (rf"(?:show|list|tell)(?: me)? (?:everything|all|what)(?: that)? you remember {_ABOUT} (?P<about>.+)", True),
        (rf"(?:show|list|tell|read)(?: me)? (?:your|my|the) memor(?:y|ies) {_ABOUT} (?P<about>.+)", True),
        (rf"do you (?:still )?remember (?:anything|something) {_ABOUT} (?P<about>.+)", True),
        (rf"what (?:else )?do you know {_ABOUT} (?P<about>.+)", False),
        (rf"(?:tell|show) me (?:everything|all|what)(?: that)? you know {_ABOUT} (?P<about>.+)", False),
        (r"do you (?:still )?remember (?:that )?(?P<about>(?:my|our|i|i'm) .+)", False),
    )
)
_SOURCE = re.compile(
    r"(?:how|where) do you know (?:that|this|it)(?: from)?|how come you know (?:that|this)|who told you (?:that"
    r"|this|so)|"
    r"where (?:did|do) you (?:get|have) (?:that|this|it)(?: from)?|when did i (?:tell you|say) (?:that|this|so)|"
    r"(?:why|what makes you) (?:do you )?think (?:so|that)|says who|where does (?:that|this) come from",
    re.I,
)


def understand(query: str) -> Wish | None:
    """What a query wants of the long-term memory; None for everything else, which is nearly all that people say."""
    said = " ".join(query.replace("\u2019", "'").replace("\u2018", "'").split())
    asked = said.endswith("?") and not re.match(_POLITE_QUESTION, said, re.I)
    for bare in dict.fromkeys((_CLOSING.sub("", said), _CLOSING.sub("", _OPENING.sub("", said, count=1)))):
        if wish := _recall(bare) or _forget(bare) or (None if asked else _remember(bare)):
            return wish
    return None


_POLITE_QUESTION = r".*\b(?:can|could|would|will|can't|won't) you\b"


def _remember(bare: str) -> Remember | None:
    if _ACTS.search(bare):  # something else is asked for as well
        return None
    if found := _KEEP.fullmatch(bare):
        how = found["how"].casefold()
        told = "that" in how or ":" in how
        return _kept(found["said"], whole=told)
    if found := _STORE.fullmatch(bare):
        return _kept(found["said"], whole=True)
    if found := _TELL.fullmatch(bare) or _AFTER.fullmatch(bare):
        fact = read_fact(found["said"])
        return Remember(fact) if fact and (fact.subject == "me" or fact.single) else None
    return None


def _kept(said: str, *, whole: bool) -> Remember | None:
    if re.match(r"(?:to|for me|when|how|why|what|who|where|if|me|about|not)\b", said, re.I):
        return None
    said = re.sub(r"^that ", "", said, flags=re.I)
    if re.match(r"(?:this|that|these|those|it|there|it's)\b", said, re.I):  # what they point at is not in the sentence
        return None
    fact = read_fact(said, whole=whole)
    return Remember(fact) if fact else None


def _forget(bare: str) -> Forget | None:
    if re.match(r"(?:forget (?:it|that|this|about it|about that)|never mind)$", bare, re.I) or _ACTS.search(bare):
        return None
    if any(pattern.fullmatch(bare) for pattern in _FORGET_ALL):
        return Forget(everything=True)
    if found := _FORGET_NUMBER.fullmatch(bare):
        return Forget(number=int(found["number"]))
    if _FORGET_LAST.fullmatch(bare):
        return Forget(last=True, sure=False)
    for pattern in _FORGET_ABOUT:
        if found := pattern.fullmatch(bare):
            return Forget(found["about"].strip())
    if (found := _FORGET_STATEMENT.fullmatch(bare)) and (fact := read_fact(found["said"])):
        return Forget(fact.text, fact, sure="that " in bare.casefold())
    for pattern in _FORGET_SOFTLY:
        if found := pattern.fullmatch(bare):
            return Forget(found["about"].strip(), sure=False)
    return None


def _recall(bare: str) -> Recall | None:
    if _SOURCE.fullmatch(bare):
        return Recall(source=True, sure=False)
    if any(pattern.fullmatch(bare) for pattern in _RECALL_ALL):
        return Recall()
    for pattern, sure in _RECALL_ABOUT:
        if found := pattern.fullmatch(bare):
            return Recall(found["about"].strip(), sure=sure)
    return None
