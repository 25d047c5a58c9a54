"""Further signs of accidents as people say them in a hurry: loose words that are a sign only together.

Each entry adds combinations to the flag of that name in `flags_injury`; see `spoken_illness`.
"""

from __future__ import annotations

from camphor.agents.health.signs import CANNOT_BREATHE, CONFUSED, DROWSY, FAINT, HEAD_HIT, VOMITING
from camphor.agents.health.spoken_illness import CANNOT, NOT, PERSON, W

_ON_THE_GROUND = (
    r"\b(?:lies|lying|laying|lay|floor|ground|pavement|fell|falls|collapsed|slumped|eyes|bed|snoring|cold|dropped)\b"
)
_NO_ANSWER = (
    rf"{PERSON}.{{0,60}}\b{NOT} (?:react\w*|respond\w*|answer\w*|mov(?:e|ing)|open (?:his|her) eyes)\b(?! (?:his|"
    rf"her|the) "
    r"(?:phone|calls?|door|messages?))|\bno (?:reaction|response)\b"
)
_WOUND = r"\b(?:cut|wound|stab\w*|saw|chainsaw|knife|glass|deep|press\w*|bandage|bleed\w*|blood)\b"
_TOXIC = (
    r"\b(?:bleach|anti-?freeze|weed ?killer|pesticide|rat poison|drain cleaner|oven cleaner|toilet cleaner|(?:paint )?"
    r"thinner|white spirit|turpentine|petrol|lamp oil|dishwasher tab(?:let)?|detergent|descaler|methanol|slug "
    r"pellets|nail polish remover)\b"
)
_DRANK_IT = (
    r"\b(?:swallow\w*|drank|drunk|ate|eaten|licked|gulped|bit) (?:it|some|one|them|that|from)\b|\b(?:a|one) (?:big |"
    r"small )?(?:sip|gulp|mouthful)\b|\bin (?:his|her|my) mouth\b"
)
_PILLS = r"\b(?:pills?|tablets?|meds|medicines?|medication)\b"
_HEAT = (
    r"\b(?:boiling|hot (?:oil|tea|coffee|fat|soup)|steam|kettle|scald\w*|petrol|flames?|caught fire|fireworks?|"
    r"exploded|"
    r"barbecue|bbq|power line|(?:pulled|spilt|spilled)(?: [\w']+)? (?:tea|coffee|soup|pan|pot)|fell (?:in|"
    r"into)(?: [\w']+)? "
    r"(?:bath|hot|boiling)(?: [\w']+)*)\b"
)
_HURT_SKIN = (
    r"\bblister\w*|\bpeeling\b|\bcomes? off\b|\bcoming off\b|\b(?:black|white|"
    r"charred) skin\b|\bskin (?:is |looks )?(?:white|black|charred)\b|\b(?:burnt|burned)\b|\bburn marks?\b"
)
_BODY = r"\b(?:face|hands?|chest|neck|back|legs?|arms?|tummy|belly|stomach|foot|feet|genitals|body)\b"
_BURNT = r"\b(?:burnt|burned|scalded|a (?:bad )?burn|burns? on)\b"
_MUTE = (
    rf"{CANNOT} (?:talk|speak|cough|cry|make (?:a|any) (?:noise|sound))\b(?! about)|\bno (?:sound|noise)\b(?! from)|"
    rf"{CANNOT_BREATHE}|{CANNOT} get (?:any )?air\b"
)
_BLUE = (
    r"\b(?:turn\w*|get\w*|go(?:es|ing)?|is|he's|she's) (?:all )?(?:blue|purple|gr[ea]y)\b|\b(?:turn\w*|"
    r"go(?:es|ing)) (?:all )?red\b"
)
_HEAD_HIT = (
    rf"{HEAD_HIT}|\b(?:fell(?! asleep)|fallen|landed|slipped|dropped|thrown|kicked|punched|hit|struck|"
    rf"tripped)\b.{{0,40}}"
    r"\b(?:head|skull|forehead)\b|\bhead (?:on|against|hit) (?:the |a )?(?:tiles?|floor|ground|kerb|curb|pavement|"
    r"wall|door|bath\w*|table|stairs?|"
    r"concrete|ice|window|corner)\b|\bhead (?:knock|bump)\b"
)

SPOKEN: dict[str, tuple[tuple[str, ...], ...]] = {
    "unconscious": (
        (_NO_ANSWER, _ON_THE_GROUND),
        (rf"{PERSON}.{{0,60}}\b{NOT} (?:react\w*|respond\w*) (?:to anything|at all|when|any ?more)\b",),
        (rf"{PERSON}.{{0,40}}\b{NOT} open (?:his|her) eyes\b(?! (?:fully|wide|properly|well))",),
        (r"\bout cold\b",),
        (rf"{CANNOT} (?:rouse|wake|get (?:him|her|them) (?:to wake|awake))\b(?! up (?:early|in the morning))", PERSON),
        (r"\b(?:fainted|collapsed|passed out)\b", r"\bstill not (?:awake|up|conscious)\b"),
    ),
    "severe_bleeding": (
        (
            rf"\bblood\b{W}{{0,3}} (?:spurts?|squirts?|shoots?|streams|gushes|pours)\b|\bblood pumps\b(?! "
            rf"(?:through|in) my)|"
            r"\b(?:pumps?|spurts?|squirts?|gushes|pours) (?:out )?(?:of )?(?:the )?blood\b",
        ),
        (r"\bkeeps? (?:on )?bleeding\b", r"\b(?:press\w*|bandage|towel\w*|deep|wound|\d\d min\w*|hours?)\b"),
        (r"\bbleeds and bleeds\b|\bbleed(?:s|ing) (?:strongly|very hard|like (?:a )?(?:tap|mad|crazy|waterfall))\b",),
        (rf"\bblood\b{W}{{0,2}} {NOT} (?:stop|slow)\w*\b|\bblood\b.{{0,50}}\bget it to stop\b",),
        (rf"\b(?:nose ?bleed\w*|bleed(?:s|ing))\b{W}{{0,3}} (?:(?:[2-9]\d) min\w*|half an hour|an hour|\w+ hours)\b",),
        (r"\btowels? (?:is |are )?soaked\b|\b(?:second|third|fourth) towel\b", _WOUND),
        (rf"\bblood\b{W}{{0,3}} through the (?:bandage|dressing|towel|cloth)\b",),
        (r"\bblood (?:is |was )?running (?:down|out)\b",),
        (r"\bcut off (?:the )?(?:tip|end|top) of\b",),
        (r"\bblack\b(?:,? [\w']+){0,2} (?:poo\w*|stools?)\b|\btarry\b", FAINT),
    ),
    "poisoning": (
        (_TOXIC, _DRANK_IT),
        (r"\b(?:swallow\w*|drank|drunk|ate)\b(?: [\w']+){0,3} (?:thinner|magnets?|descaler)\b",),
        (r"\b(?:tablets|pills|medicines?)\b.{0,30}\b(?:in one go|all at once)\b",),
        (rf"\bgot into\b.{{0,40}}{_PILLS}",),
        (
            r"\bempty\b(?: [\w']+)? (?:bottle|packet|pack|strip|blister)\b",
            _PILLS,
            DROWSY + r"|\bsleepy\b",
        ),
        (
            r"\b(?:taken|took|swallowed) (?:all of (?:them|it)|them all)\b",
            r"\b(?:whole|entire|full) (?:pack|packet|box|bottle|strip)\b",
        ),
        (r"\bfumes\b", r"\bmixed\b", r"\bcough\w*|\bdizzy\b|\bburn\w*|\bsick\b"),
        (r"\bmushrooms?\b", r"\b(?:picked|wild|forest)\b", rf"{VOMITING}|\bvomit\b|\bsee double\b|\bcramps?\b"),
        (
            r"\b(?:boiler|gas stove|heater|generator|fireplace|charcoal|exhaust)\b",
            r"\b(?:all (?:of us|two|three|four|five)|both of us|we all|whole family|everyone)\b",
            r"\bheadaches?\b|\bdizzy\b|\bfeel sick\b|\bsleepy\b",
        ),
    ),
    "severe_burn": (
        (_HEAT, _HURT_SKIN, _BODY),
        (
            r"\b(?:boiling|scald\w*|kettle|(?:pulled|tipped|fell in|fell into)(?: [\w']+)? (?:tea|coffee|soup|pan|"
            r"pot|bath|hot|boiling))\b",
            r"\b(?:very|is|are|bright) red\b|\bbubbles\b",
            _BODY,
        ),
        (_BURNT, rf"\bskin\b{W}{{0,2}} (?:white|black|charred|peeling|off|leathery|waxy)\b|\b(?:feel|feels) nothing\b"),
        (r"\b(?:burnt?|burns?)\b", r"\blooks? (?:white|black|charred|leathery)\b"),
        (
            r"\bface (?:is |was |got |has been )?(?:burnt|burned|scalded|blistered)\b(?! (?:a bit|a little|"
            r"slightly))(?!.*\bsun)",
        ),
        (
            r"\b(?:acid|bleach|lye|caustic \w+|drain cleaner|oven cleaner)\b",
            r"\beats? (?:the|my|into)(?: my)? ?skin\b|\beyes? (?:\w+ )?burn\w*",
        ),
        (r"\b(?:clothes|trousers|pants|dress|shirt|jacket|sleeve|hair|pyjamas) (?:\w+ )?(?:caught|on) fire\b",),
    ),
    "choking": (
        (r"\b(?:grab|hold|clutch)\w* (?:at )?(?:his|her) (?:throat|neck)\b", rf"{_MUTE}|\beating\b"),
        (r"\b(?:stuck|wrong (?:way|pipe|hole)|in (?:the |his |her |my )?throat)\b", rf"{_MUTE}|{_BLUE}|\bdrool\w*"),
        (r"\b(?:in|blocks?|blocking) (?:his|her|my|the) (?:windpipe|airway)\b",),
        (r"\b(?:chok(?:e|es|ing)|gagging)\b", _BLUE),
        (r"\b(?:baby|child|kid|son|daughter|toddler|boy|girl) chok(?:e|es|ing)\b",),
        (r"\bpiece of\b", rf"{CANNOT} get (?:any )?air\b"),
    ),
    "head_injury": (
        (_HEAD_HIT, rf"{VOMITING}|{CONFUSED}|{DROWSY}|\bstay awake\b|\bvery tired\b"),
        (
            _HEAD_HIT,
            r"\b(?:gone|out) for (?:a|some|one|two|\d+) (?:min\w*|seconds?|while)\b|\bblacked out\b|\bunconscious\b",
        ),
        (
            _HEAD_HIT,
            r"\bpupils\b|\b(?:clear|water\w*)\b.{0,20}\b(?:ears?|nose)\b|\b(?:doesn't|does not|don't) know what "
            r"day\b|\bseizure\b",
        ),
        (_HEAD_HIT, r"\b(?:talks?|speaks?|talking|speaking) (?:strange\w*|confused\w*|nonsense|funny|weird\w*)\b"),
    ),
}
