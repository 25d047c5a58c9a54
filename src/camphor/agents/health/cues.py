"""Whether words about an illness are meant of somebody here and now: negation, the past, family, hypotheses, stories.

Code, not the model, decides what is an emergency (`red_flags`), so what stands around the words of a symptom matters:
"no chest pain", "my father had a stroke", "what if I get a seizure?". A doubtful sentence counts as meant: to warn once
too often is the smaller harm.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque

from camphor.agents.health.spelling import corrected

_SENTENCE_END = re.compile(r"(?<=[.!?;\n])\s+|\n")
_MISSING_APOSTROPHE = re.compile(
    r"\b(can|won|don|doesn|didn|isn|aren|wasn|weren|haven|hasn|hadn|couldn|wouldn|shouldn)t\b"
)
_IM = re.compile(r"\bim\b|\bi m\b")
_IVE = re.compile(r"\bive\b")

# What ends the reach of a negation or a condition that stands before it.
_TURN = re.compile(
    r"\b(?:but|however|although|though|except|yet|because|due to|with|now|then|still|and (?:i|my|it|he|she|they|the|"
    r"now|then|also)|i'm|i am|i've|i have|it's)\b|[:;]"
)
_FEELING_UNWELL = (
    r"(?:feel|feeling|been|been feeling|doing) (?:so |very |too )?(?:well|right|ok|okay|good|great|myself)"
)
_NEGATION = re.compile(
    r"\b(?:no(?! (?:longer|doubt|matter|idea|one|need|reason|point))|without|never|neither|nor|den(?:y|ies|ied)|"
    r"free (?:of|from)|absence of|nothing like|ruled out|rather than|instead of|stopped (?:having|getting|feeling)|"
    r"(?:not|do(?:es)?n't|didn't|isn't|aren't|wasn't|weren't|haven't|hasn't|hadn't|wouldn't (?:say|call))(?! (?:only|"
    r"just|sure|certain|know|tell|sleep|slept|stop|help|helping|go|going|gone|move|stand|work|working|eat|eaten|drink|"
    r"keep|speak|see|think|understand|believe|wait|ignore|well|right|ok|okay|good|great|better|getting|improv\w+|want "
    rf"(?:help|a doctor|an ambulance)|{_FEELING_UNWELL})))\b"
)
_DENIED_AFTER = re.compile(r"\s*(?:[:?=-]+|is|are) ?(?:no|none|nil|negative|absent)\b(?! (?:idea|longer|better))")
_MOST_WORDS = 8

_SURELY_PAST = re.compile(
    r"\b(?:years|decades|ages) (?:ago|back|earlier)\b|\b(?:in|back in|since|of) (?:19|20)\d\d\b|\bused to\b|"
    r"\bin the past\b|\bhistory of\b|\bas an? (?:child|kid|baby|toddler|infant|newborn|teenager|boy|girl)\b|"
    r"(?<!at )\bonce\b(?! (?:i|he|she|it|"
    r"the|more|again)\b)|\blong ago\b|\bprevious(?:ly)?\b|\bin my (?:teens|twenties|thirties|forties|youth|"
    r"childhood)\b|\bwhen (?:i|he|she) was (?:a |an |much )?(?:child|kid|baby|teenager|boy|girl|younger|young|little|"
    r"small|at school|pregnant|expecting|\d+|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty)\b"
)
_PERHAPS_PAST = re.compile(
    r"(?<!since )(?<!since the )(?<!for the )(?<!over the )(?<!in the )(?<!during the )\b(?:last|"
    r"the previous) (?:week|month|year|summer|winter|spring|autumn|christmas|january|february|march|april|may|june|"
    r"july|august|september|october|november|december)\b|\b(?:weeks|months|week|month) (?:ago|back|earlier)\b"
)
_PRESENT = re.compile(
    r"\b(?:i have|i've|i'm|i am|has been|have been|is|are|it's|hurts|aches|can't|cannot|since|started|starts|began|"
    r"begun|came on)\b"
)
_JUST_NOW = re.compile(
    r"\b(?:just|now|today|tonight|this (?:morning|afternoon|evening)|again|suddenly|currently|at the moment|"
    r"minutes? ago|hours? ago|still|help|keeps?)\b"
)
_RETURNED = re.compile(r"\b(?:again|still|(?:is|are|came|come) back|happening|same (?:thing|feeling))\b")
_BEGAN = re.compile(r"\b(?:since|started|began|begun)\b")
_FAMILY = (
    r"(?:father|dad|daddy|mother|mum|mom|brother|sister|grand\w+|gran|nan|granny|uncle|aunt|auntie|cousin|husband|"
    r"wife|partner|boyfriend|girlfriend|friend|neighbou?r|colleague|coworker|boss|son|daughter|baby|child|kid|toddler|"
    r"nephew|niece|parents?|flatmate|roommate|teacher|family|passenger|stranger|dog|cat|man|woman|guy|lady|boy|girl)"
)
_OTHER = re.compile(
    rf"\b(?:my|our|his|her|their|a|the|this)(?: [\w-]+){{0,2}} {_FAMILY}\b|\b(?:somebody|someone|he|she)\b"
)
_TENSES = re.compile(
    r"\b(?P<past>had(?! (?:a|one|some) (?:\w+ )?(?:sip|gulp|mouthful|drink|bite))|has had|suffered|died|survived|"
    r"passed away|ended (?:his|her)|killed (?:himself|herself))\b|"
    r"\b(?:is|are|has|have|keeps?|can't|won't|isn't|stopped)\b|'s\b"
)
_HABIT = re.compile(
    r"\bruns? in (?:my|the|our) family\b|\bfamily history\b|\bhereditary\b|\bin (?:my|our) family\b|\bon my (?:father|"
    r"mother|dad|mum|mom)'s side\b"
)
_HYPOTHESIS = re.compile(
    r"\bwhat if i (?:ever )?(?:get|have|had|start|faint)\b|\bif (?:i|he|she|someone|somebody|you|anyone|"
    r"my \w+) (?:ever|should|were to|one day)\b|\bif (?:i|someone|somebody|you|anyone) (?:gets?|ha[sd]|have|starts?|"
    r"develops?|experiences?)\b|\bin (?:case|the event) of\b|\bin case (?:i|he|she)\b|\b(?:risks?|chances?|odds|"
    r"danger) of\b|\bat risk (?:of|for)\b|\b(?:afraid|scared|frightened|terrified|fear|worried|anxious|nervous|worry|"
    r"dread) (?:of|about|that i (?:might|could|may|will)) (?:ever |one day |some ?day )?(?:having|getting|developing|"
    r"have|get|develop|a|an|strokes?|seizures?|heart|choking|bleeding)\b|\basked (?:me )?(?:if|whether|"
    r"about)(?: i(?:'m| am| have| had)?)?\b|\b(?:what|which) (?:are|is|were) (?:the )?(?:\w+ )?(?:signs?|symptoms?|"
    r"causes?|difference)\b|\bwhat causes\b|\bhow (?:do|can|to|would|should) (?:i |you |one |we )?(?:recogni[sz]e|"
    r"spot|tell|treat|prevent|avoid|react)\b|\b(?:prevent|avoid)(?:ing|s)?\b|\bside effects? (?:include|like|such as|"
    r"are|say)\b|\bleaflet\b|\bwhat (?:to|should i|should one|do you) do (?:in|for|about|if|when)\b|\bcould (?:it|"
    r"this|that|\w+) (?:lead to|cause|give me|end in)\b|\bcan (?:it|this|that|\w+) (?:lead to|cause|give (?:me|you|"
    r"people)|end in)\b|\bexplain what\b|\bdefinition of\b|\bmeaning of\b|\bwhat is (?:a|an)\b|\bwhat's an?\b"
)
_HYPOTHESIS_END = re.compile(rf"{_TURN.pattern}|,| my\b")
_STORY = re.compile(
    r"\b(?:in|on) (?:a|an|the|this|that|my|last night's)(?: \w+)? (?:film|movie|book|novel|series|show|news|article|"
    r"documentary|podcast|video|programme|program|dream|nightmare|video game|tv|television|internet)\b|\b(?:read|"
    r"reading|heard|hear|learn\w*|studied|studying|watched|watching|saw|lecture|essay|article|documentary|film|movie|"
    r"video|book|song) (?:\w+ )?(?:about|of|where|in which)\b|\b(?:dreamt|dreamed|had a (?:bad )?(?:dream|"
    r"nightmare))\b|\b(?:character|actor|actress|protagonist)\b"
)


def normal(text: str) -> str:
    """Lower case, plain apostrophes and letters, slips put right, each white space a blank; line breaks stay."""
    plain = unicodedata.normalize("NFKD", text.translate({0x2019: "'", 0x2018: "'", 0x60: "'", 0xB4: "'"}))
    plain = "".join(character for character in plain if not unicodedata.combining(character)).casefold()
    plain = _IVE.sub("i've", _IM.sub("i'm", _MISSING_APOSTROPHE.sub(r"\1't", plain)))
    return "\n".join(" ".join(line.split()) for line in corrected(plain).splitlines())


def sentences(text: str) -> list[str]:
    """The sentences of a normal text, none of them empty."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]


def is_meant(sentence: str, start: int, end: int) -> bool:
    """Whether what stands at these places of a normal sentence is told of somebody here and now."""
    before, told = sentence[:start], sentence[:end]
    return not (
        _denied(before, sentence[start:end], sentence[end:])
        or _is_past(sentence, told)
        or _was_anothers(sentence, before, told)
        or _supposed(told, start)
        or _STORY.search(before)
    )


def is_about_another(sentence: str, start: int) -> bool:
    """Whether somebody other than the person is named before that place of a normal sentence."""
    return _others(sentence[:start]) is not None


def _denied(before: str, meant: str, after: str) -> bool:
    if _DENIED_AFTER.match(after):
        return True
    negation = _last(_NEGATION, before)
    if negation is None:
        return False
    between = before[negation.end() :]
    if _TURN.search(between) or len(between.split()) > _MOST_WORDS:
        return False
    if "," in between and not re.search(r"\b(?:or|nor|any)\b", between + meant + after):
        return False
    # "no cough and a pain in the chest": what follows "and" is there
    return not (negation[0] in ("no", "without") and re.search(r"\band\b", between))


def _is_past(sentence: str, told: str) -> bool:
    rest = sentence[len(told) :]
    clause = re.split(r"[,;:]|\bbut\b|\band now\b", rest)[0]
    if _JUST_NOW.search(told + clause) or _RETURNED.search(rest) or _BEGAN.search(told):
        return False
    if _SURELY_PAST.search(sentence):
        return True
    return _PERHAPS_PAST.search(sentence) is not None and _PRESENT.search(told) is None


def _was_anothers(sentence: str, before: str, told: str) -> bool:
    """Whether it was somebody else's, and over: the verb next to it is in the past, and nothing says that it is new."""
    if _HABIT.search(sentence):
        return True
    other = _others(before)
    if other is None or _JUST_NOW.search(sentence[other.end() :]):
        return False
    tense = _last(_TENSES, told[other.end() :])
    return tense is not None and tense["past"] is not None


def _others(before: str) -> re.Match[str] | None:
    """Who is spoken of just before, where it is not the person again."""
    other = _last(_OTHER, before)
    if other is None or re.search(r"\b(?:i(?:'m|'ve|'d)?|my|me)\b", before[other.end() :]):
        return None
    return other


def _supposed(told: str, start: int) -> bool:
    """Whether a condition, a fear or a question governs the words that begin at `start`; it may overlap them."""
    cue = _last(_HYPOTHESIS, told)
    return cue is not None and cue.start() < start and not _HYPOTHESIS_END.search(told[cue.end() : start])


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return next(iter(deque(pattern.finditer(text), maxlen=1)), None)
