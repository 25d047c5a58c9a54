"""Further signs of illness as people say them in a hurry: loose words that are a sign only together.

Each entry adds combinations to the flag of that name in `flags_illness`. The words of one combination may stand in any
order and in any sentence, so each is kept too narrow to mean something else beside the others.
"""

from __future__ import annotations

from camphor.agents.health.signs import (
    BREATHLESS,
    CHEST,
    FAINT,
    FEVER,
    PREGNANT,
    SWEAT,
    VOMITING,
)

W = r"(?:,? [\w'-]+)"
CANNOT = r"\b(?:can't|cannot|can not|couldn't|could not|can only|unable to|not able to)"
NOT = r"(?:not|don't|doesn't|won't|isn't|didn't|hasn't|never|no longer)"
PERSON = (
    r"\b(?:he|she|him|her|man|woman|guy|lady|boy|girl|baby|child|kid|toddler|son|daughter|husband|wife|father|dad|papa|"
    r"mother|mum|mom|mama|gran\w*|brother|sister|friend|room-?mate|flatmate|colleague|neighbou?r|somebody|someone|"
    r"person|"
    r"student|uncle|aunt)\b"
)
_CHEST = (
    rf"{CHEST}|\btight chest\b|\b(?:pains?|pressure|tightness) (?:in )?(?:the )?chest\b|\bchest {W}{{0,3}} tight\b|"
    rf"\bchest is so tight\b|\b(?:hold|clutch|grab|press)\w* (?:at )?(?:his|her|my|the) chest\b|"
    rf"\b(?:weight|stone|someone|something|somebody){W}{{0,3}} on (?:my|his|her|the) chest\b|"
    r"\bchest\b.{0,20}\b(?:standing|sitting|kneeling|pressing) on (?:it|me)\b|\bbreastbone (?:hurts|aches)\b|"
    r"\bsqueez\w+ (?:of )?my heart\b"
)
_ARM_OR_JAW = (
    r"\b(?:jaw|teeth|between (?:the|my) shoulder blades|shoulder|arms?)\b(?:,? [\w']+){0,4} (?:hurts?|aches?|aching|"
    r"sore|pain\w*|numb|heavy)\b|\bpains?\b(?: (?:in|to|into|down|goes|going|my|his|her|the|left|right|both|"
    r"a)){0,4} (?:jaw|teeth|arms?|shoulders?)\b|\bbetween (?:the|my) shoulder blades\b"
)
_ONSET = (
    r"\b(?:sudden(?:ly)?|all (?:of a sudden|at once)|out of nowhere|(?:minutes?|hours?|an hour) ago|just now|woke up|"
    r"since (?:breakfast|lunch|dinner|waking|an hour|one hour|half an hour|this morning|\d+ (?:min\w*|hours?)))\b"
)
_FACE = (
    rf"\b(?:face|mouth|lips?|smile|cheek)\b{W}{{0,4}} (?:hangs?|hanging|droop\w*|lopsided|wonky|crooked|"
    rf"slack|{NOT} mov\w+)\b(?! (?:out|open))"
)
_ODD_SPEECH = (
    rf"\b(?:talk\w*|speak\w*|speech|says|saying)\b{W}{{0,2}} (?:gibberish|nonsense|rubbish|strange\w*|funny|weird\w*|"
    rf"jumbled|muddled|mixed up)\b|{CANNOT} (?:speak|talk|understand (?:what (?:i|we)|me|us))\b|\bwords {NOT} come\b"
)
_WEAK = (
    rf"{CANNOT} (?:hold|keep|raise|lift|move){W}{{0,3}} (?:arms?|hand|leg)\b|\b(?:arm|leg|hand|side)\b{W}{{0,3}} "
    rf"(?:gave way|gives way|giving way|no strength|fell down|drops|weak|limp|buckl\w+)\b|\bleaning to one side\b"
)
_DESPAIR = (
    r"\bsee no reason\b(?=\W*$)|\bno reason(?=\W*$)|\b(?:nobody|no one) (?:will|would) (?:miss|notice|care)\b|"
    r"\bno way out\b(?! of)|\bgo on (?:any ?more|any longer)\b|\bwish it was over\b|\bwant(?:ed)? (?:it|this|"
    r"everything|"
    r"all) (?:to be )?(?:over|finished)\b|\bno hope\b|\bhopeless\b|\btired of (?:life|living)\b|"
    r"\bbetter (?:off )?without me\b"
)
_MEANS = (
    r"\b(?:rope|noose|gun|pistol|rifle|razor blades?|bridge|cliff|rails|pills|tablets|cut (?:myself|my "
    r"(?:arms?|wrists?)))\b"
)
_WEEKS = r"\b(?:[89]|[123]\d|4[0-2]) ?(?:wks?|weeks?)\b(?! (?:ago|old|later|back))"
_EXPECTING = rf"{PREGNANT}|\b(?:is|am|i'm) expecting\b|\b(?:fifth|sixth|seventh|eighth|ninth|[4-9]th) month\b"
_BLEEDS = (
    r"\bbleed(?:s|ing)?\b(?! (?:trouble|dis|prob|tend))|"
    r"\bblood\b(?! (?:pressure|tests?|sugar|type|group|work|count|donor|samples?|thinn\w+))"
)
_MOVES_LESS = (
    rf"\b(?:no|hardly|barely|less|fewer|reduced|few)\b{W}{{0,2}} (?:kicks?|kicking|movements?)\b(?! in)|"
    rf"\b(?:hardly|barely|{NOT}) (?:feel|felt|feeling){W}{{0,3}} (?:kick\w*|mov\w*)\b|"
    rf"\b(?:baby|bump)\b{W}{{0,4}} (?:quiet|(?:gone|very|so|lying) still|{NOT} (?:mov\w+|kick\w*))\b"
)
_ALLERGEN = (
    r"\b(?:bee|wasp|hornet|stung|sting|(?:pea|wal|hazel|cashew )?nuts?|peanuts?|shellfish|prawns?|shrimps?|penicillin|"
    r"antibiotics?|new (?:tablet|medicine|pill)|vaccine)\b"
)
_TAKEN = (
    rf"{_ALLERGEN}|\b(?:ate|eaten|eating|kiwi|cashews?|almonds?|strawberr\w+|shrimps?|crab|eggs?|milk|fish|sesame|"
    rf"soya?|"
    r"new (?:tablet|medicine|pill)|after the (?:antibiotic|injection|jab|tablet))\b"
)
_AIRWAY = (
    rf"\bthroat\b{W}{{0,3}} (?:tight\w*|narrow\w*|clos\w+)\b|\btongue\b{W}{{0,2}} (?:thick|fat|big|heavy)\b(?! coat)|"
    rf"\b(?:lips?|eyelids|eyes|face)\b{W}{{0,3}} (?:big|balloon\w*|puffed|huge|swollen shut)\b"
)
_AIRWAY_PERHAPS = (
    rf"{CANNOT} swallow\b|"
    r"\bvoice\b(?: [\w']+){0,2} (?:going|gone|hoarse|changed)\b|\blump in (?:my|his|her) throat\b"
)
_HIVES = (
    rf"\b(?:hives|welts|red bumps|wheals)\b|\b(?:rash|itch\w*|spots)\b{W}{{0,2}} (?:all over|everywhere)\b|"
    rf"\bitch\w* everywhere\b"
)
_SHOCK = rf"{FAINT}|{VOMITING}|\bfloppy\b|\bwheez\w+"
_FEW_WORDS = (
    rf"{CANNOT} (?:finish|complete|get out|say)(?: (?:a|my|his|her|full|whole|any|even|one))* (?:sentences?|words?)\b|"
    r"\bonly (?:say |speak |talk )?(?:in )?(?:one|two|three|a few|single) words?\b"
)
_SHAKES = r"\b(?:shak(?:e|es|ing)|jerk(?:s|ing|ed)?|twitch\w*|whole body cramp\w*|stiff)\b"
_AWAY = (
    r"\beyes (?:are |have )?(?:rolled|rolling|turned up|staring)|\bfoam(?:ing)?\b(?: comes| is coming)? (?:at|"
    r"from|out|around|on)\b|\b(?:not|isn't|didn't|still not) (?:yet )?"
    r"(?:awake|wak\w+|conscious|with us|respond\w*|aware)\b|\bunconscious\b|\bbit(?:ten)? (?:his |her )?tongue\b|"
    r"\bwet (?:himself|herself)\b"
)
_FEVERISH = rf"{FEVER}|\bhas (?:a )?temperature\b|\b(?:38|39|40|41)[.,]\d\b|\bhot and shiver\w+"
_RASH = r"\b(?:rash|spots?|dots|pinpricks?)\b"

SPOKEN: dict[str, tuple[tuple[str, ...], ...]] = {
    "self_harm": (
        (_DESPAIR, _MEANS),
        (r"\b(?:rope|noose|gun|pistol) is (?:ready|loaded|tied|waiting)\b",),
        (
            r"\b(?:stepping|jumping|step|jump|throw(?:ing)? myself|lie down|lying down) (?:in front of|under|off|"
            r"from|on) "
            r"(?:a |the )?(?:train|bus|truck|lorry|bridge|roof|building|balcony|tracks|cliff|rails)\b",
        ),
        (r"\bstanding on (?:the|a) (?:bridge|roof|ledge|cliff|edge)\b", r"\bjump\w*\b"),
        (
            r"\b(?:no|not any|any|the) (?:reason|sense|point|meaning) (?:of|in|to|for)(?: my)? (?:liv\w+|life|be here|"
            r"being here|exist\w*|stay alive)\b",
        ),
        (r"\b(?:tonight|today|tomorrow) (?:i|i'll|i will) (?:do|end|finish) it\b",),
        (r"\b(?:goodbye|farewell) (?:message|text|letters?|note|video)\b", rf"{_MEANS}|\b(?:car|gone|missing|sorry)\b"),
        (
            r"\b(?:won't|will not) be (?:here|around|alive) (?:tomorrow|any ?more|much longer)\b",
            r"\b(?:gave|giving|given) away\b",
        ),
        (r"\b(?:sleep|bed) and (?:not|never) wake\b",),
        (r"\b(?:happier|better) (?:off )?(?:if|when) i (?:was|were|am|'m) (?:gone|dead|not here)\b",),
    ),
    "chest_pain": (
        (_CHEST, BREATHLESS),
        (_CHEST, _ARM_OR_JAW),
        (_CHEST, SWEAT),
        (_CHEST, rf"{FAINT}|\bpass out\b|\bfeel(?:ing)? (?:very )?sick\b|\bnause\w+|{CANNOT} stand\b"),
        (r"\bchest\b.{0,20}\b(?:someone|somebody|something|elephant)\b.{0,12}\b(?:standing|sitting|kneeling) on\b",),
        (rf"\bchest pains?\b{W}{{0,3}} (?:won't|doesn't|does not|not) (?:go|stop|ease)\b",),
    ),
    "stroke": (
        (_FACE,),
        (rf"{CANNOT} (?:hold|keep) (?:his|her|one)(?: left| right)? arm up\b",),
        (_ODD_SPEECH, _ONSET),
        (_ODD_SPEECH, _WEAK),
        (_WEAK, r"\b(?:sudden(?:ly)?|all (?:of a sudden|at once)|out of nowhere|just now)\b"),
        (rf"\bhalf (?:of )?(?:my|his|her|the) (?:body|face){W}{{0,3}} (?:numb|dead|weak|paraly\w+|{NOT} mov\w+)\b",),
        (r"\bsuddenly (?:gone |went )?blind\b",),
    ),
    "not_breathing": (
        (_FEW_WORDS, r"\basthma\w*|\bbreath\w*|\bpuffer\b|\binhaler\b|\bwheez\w+|\bat a time\b|\bair\b"),
        (
            rf"\b(?:lips?|mouth|tongue)\b{W}{{0,4}} (?:blue|bluish|purple|violet|gr[ea]y)\b|\b(?:blue|bluish|purple)"
            r"(?: [\w']+)? (?:lips|tongue|around (?:the|his|her|my) (?:mouth|lips))\b",
        ),
        (
            rf"\b(?:ribs|chest|skin)\b{W}{{0,4}} (?:suck|pull)\w* in\b|\bgrunt\w*\b",
            r"\bbreath\w*",
        ),
        (
            r"\b(?:get|gets|getting|have|has) no air\b|\bno air (?:comes|goes|gets)\b|\bfight\w* for (?:every|"
            r"each|a|his|"
            r"her) breath\b|\bbreathless (?:that )?(?:[\w']+ )?(?:can't|cannot) (?:speak|talk)\b",
        ),
        (
            rf"\b(?:spray|inhaler|puffer|pump|nebuli[sz]er)\b{W}{{0,2}} (?:{NOT} (?:help|work|do)\w*|does nothing)\b",
            rf"\basthma(?:tic)? (?:is )?(?:very )?(?:bad|worse|attack)\b|{BREATHLESS}|{_FEW_WORDS}",
        ),
        (r"\bbreathing\b.{0,15}\b(?:strange\w*|odd\w*|weird\w*|funny)\b", r"\bpauses?\b|\bgasps?\b"),
    ),
    "pregnancy": (
        (rf"{_EXPECTING}|{_WEEKS}|\b(?:in|inside) my (?:belly|tummy|womb)\b", _MOVES_LESS),
        (_EXPECTING, _BLEEDS),
        (_WEEKS, r"\bwaters? (?:has |have )?brok?en?\b|\bthe baby\b|\bmy bump\b", _BLEEDS),
        (
            _WEEKS,
            r"\bhead(?:ache)?\b(?: is)? ?(?:pounding|splitting|ache)?\b",
            r"\bsee(?:ing)? (?:stars|spots|flashes)\b",
        ),
        (
            _EXPECTING,
            rf"\bpain\b{W}{{0,2}} (?:won't|doesn't|does not|not) (?:stop|go|ease)\b|\brock hard\b",
        ),
    ),
    "anaphylaxis": (
        (_TAKEN, _AIRWAY),
        (r"\b(?:bee|wasp|hornet|stung|sting)\b", _AIRWAY_PERHAPS),
        (_HIVES, _AIRWAY_PERHAPS),
        (_TAKEN, _HIVES, _SHOCK),
        (_HIVES, r"\bwheez\w+", FAINT),
        (_AIRWAY, _HIVES),
        (r"\btongue\b(?: [\w']+){0,2} thick\b(?! coat)", rf"{CANNOT} (?:talk|speak|swallow|breathe)\b"),
        (_HIVES, _SHOCK, r"\b(?:bee|wasp|hornet|stung|new (?:tablet|medicine))\b"),
    ),
    "seizure": (
        (_SHAKES, _AWAY),
        (r"\bwent stiff\b", r"\b(?:twitch|jerk|shak)\w*"),
        (
            r"\bepilep(?:tic|sy) (?:attack|seizure|fit)\b|\b(?:seizures?|fits?|convulsions?) in a row\b|\b(?:second|"
            r"another|first)(?: ever)? (?:seizure|fit|convulsion)\b|\bis fitting\b(?! (?:a|the|in|me|well|into))|"
            r"\bseizuring\b",
        ),
    ),
    "meningitis": (
        (_RASH, rf"\b{NOT} (?:fade|go away|vanish|disappear|blanch)\b.{{0,25}}\b(?:press\w*|push\w*|glass|tumbler)\b"),
        (
            _RASH,
            r"\b(?:press\w*|glass|tumbler|push\w*)\b",
            rf"\bstay\w*\b|\bstill (?:visible|there)\b|\b{NOT} (?:fade|go|vanish|disappear|change|blanch)\b|\bdo "
            rf"not (?:fade|go|vanish)\b",
        ),
        (
            _FEVERISH,
            r"\bstiff nec?k\b|\bneck\b(?:,? [\w']+){0,2} stiff\b|\bneck (?:won't|doesn't|does not|can't) (?:move|"
            r"bend)\b|\bbend (?:the|my|his|her) neck\b",
        ),
        (_FEVERISH, r"\bsoft spot\b.{0,25}\bbulg\w+|\bbulging (?:soft spot|fontanell?e)\b"),
        (
            _FEVERISH,
            r"\brash like bruises\b|\b(?:purple|pinprick) (?:rash|spots|dots)\b|\bblotchy\b",
            r"\bcold (?:hands|feet)\b|\bfloppy\b|\bspreading\b|\bdrowsy\b",
        ),
        (
            _FEVERISH,
            r"\bheadache\b|\bhead hurts\b|\bneck\b",
            r"\blights? (?:is |are )?(?:unbearable|torture|hurts?|too much)\b|\bscreams? (?:in|at) the light\b",
        ),
    ),
}
