"""The red flags: their signs as patterns over normal text, what to tell the person, and the public page behind each.

A flag is raised by any of its combinations; of a combination every sign must be there. Patterns are written for text as
`cues.normal` gives it: lower case, straight apostrophes. The sources are pages of the NHS (nhs.uk), among them the FAST
test for strokes, and of St John Ambulance, to which the NHS leads for first aid; they say when to call an ambulance or
to go to A&E.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Flag:
    """One kind of emergency.

    Args:
        name: for code and tests. title: for people.
        signs: combinations of patterns; one combination whose patterns are all meant raises the flag.
        advice: what to do until help is there, in a sentence or two; no diagnosis, no treatment beyond first aid.
        source: the public page. unless: sentences with this do not count.
        crisis: a person in despair, to be met with a human voice first.
    """

    name: str
    title: str
    signs: tuple[tuple[str, ...], ...]
    advice: str
    source: str
    unless: str = ""
    crisis: bool = False


SUDDEN = (
    r"\b(?:sudden(?:ly)?|all of a sudden|out of nowhere|(?:minutes?|hours?|an hour) ago|just now|this morning|today|"
    r"tonight|woke up)\b"
)
CHEST = (
    r"\bchest (?:is |has been |feels? |felt |was )?(?:very |really |so |all )?(?:pains?|hurts?|hurting|aches?|aching|"
    r"pressure|tight\w*|heavy|heaviness|crushing|squeez\w+|is killing me)\b|\b(?:pains?|pressure|tightness|ache|"
    r"aching|heaviness|weight|hurts?|hurting|stabbing|squeezing|crushing|elephant|band)(?: [\w']+){0,3} (?:in|on|"
    r"across|a?round|inside|over|behind) (?:my |the |his |her |their )?(?:\w+ (?:of|side of) (?:my |the |his |"
    r"her )?)?(?:left |upper )?(?:chest|breastbone|sternum)\b"
)
CRUSHING = (
    r"\b(?:crushing|squeezing|vice|vise|elephant|like a (?:band|belt|weight|stone))\b.{0,30}\bchest\b|"
    r"\bcrushing\b.{0,30}\b(?:breastbone|sternum)\b|\bchest\b.{0,25}\b(?:crushing|crushed|squeezing|in a vi[cs]e|"
    r"being squeezed)\b"
)
BREATHLESS = (
    r"\bshort(?:ness)? (?:of|in) breath\b|\bbreathless(?:ness)?\b|\bout of breath\b|\bno breath\b|\b(?:can't|cannot|"
    r"can not|couldn't|can hardly|can barely|hardly|barely|unable to|not able to)(?: [\w']+)? (?:breath|breathe|"
    r"catch (?:my|his|her) breath|get (?:my|his|her|any|enough) (?:breath|air))\b|\b(?:trouble|difficulty|"
    r"difficulties|problems?|struggl\w+|hard|fighting|gasping|harder|difficult)(?: [\w']+)?(?: for| to| with|"
    r" in)?(?: my)? (?:breath\w*|air)\b|\bbreathing (?:is |has become |feels? |got )?(?:[\w']+ )?(?:hard|difficult|"
    r"heavy|fast|heavily)\b|\bwheez\w+\b|\bgasping\b"
)
CANNOT_BREATHE = (
    r"\b(?:can't|cannot|can not|unable to|not able to) (?:[\w']+ )?breath(?:e|ing)?\b(?! (?:in )?(?:through|thru|deep|"
    r"via|in deep))|\bgasping for (?:air|breath)\b|\b(?:struggling|fighting) (?:to breathe|for (?:breath|air))\b|"
    r"\btoo breathless to\b|\bsuffocating\b|\b(?:can't|cannot) get (?:any|enough) (?:air|breath)\b|\b(?:lips|"
    r"fingertips|face|tongue) (?:[\w']+ ){0,3}(?:blue|grey|gray)\b|\bturning blue\b|\b(?:can't|cannot) (?:speak|talk|"
    r"finish a sentence) (?:[\w']+ )?(?:because|as|without) .{0,20}breath\w*"
)
FAINT = r"\b(?:faint\w*|pass(?:ed|ing)? out|black(?:ed|ing)? out|collaps\w+|light-?headed|dizzy|unconscious)\b"
SPREADS = (
    r"\b(?:spread\w*|radiat\w+|going|goes|shoot\w*|moving|travel\w+|running|runs|pain|down|into|up to|"
    r"to)\b(?: [\w']+){0,4} (?:left arm|right arm|arms?|jaw|neck|shoulder blades?)\b|"
    r"\b(?:left )?arm(?: [\w']+){0,2} (?:hurts?|aches?|aching|numb|tingl\w+|heavy)\b|\bjaw (?:hurts?|pain|aches?)\b"
)
SWEAT = r"\b(?:sweat\w*|clammy|(?:pale|grey|gray|ashen)|cold sweat)\b"
FEVER = (
    r"\b(?:fever\w*|high temperature|temperature of|burning up|(?:3[89]|4[0-2])(?:\.\d)? ?(?:c|degrees|°)|"
    r"10[0-5](?:\.\d)? ?(?:f|degrees))"
)
CONFUSED = (
    r"\b(?:confus(?:ed|ion|ing)|disorient\w+|not making (?:any )?sense|doesn't make sense when|delirious|(?:doesn't|"
    r"does not|don't) know where (?:he|she|i|they)|talking nonsense|(?:can't|cannot|couldn't) remember)\b"
)
VOMITING = r"\b(?:vomit\w*|throwing up|threw up|thrown up|being sick|been sick|puk\w+|retching)\b"
DROWSY = r"\b(?:drows\w+|very sleepy|hard to wake|can't stay awake|keeps? falling asleep|won't wake)\b"
PREGNANT = r"\b(?:pregnan(?:t|cy)(?! test)|(?:weeks|months) (?:along|gone)|expecting a baby|trimester)\b"
HEAD_HIT = (
    r"\b(?:hit|hits|bang\w*|bump\w*|knock\w*|smack\w*|crack\w*|whack\w*|struck|smash\w*|fell on|fallen on|landed on|"
    r"blow to|hurt|injured|kick\w*)(?: [\w']+){0,4} (?:head|skull|forehead)\b|\bhead (?:injury|trauma|wound)\b|"
    r"\bconcuss\w+\b|\b(?:hit|struck|kicked) (?:in|on) the head\b|\bhead(?: [\w']+){0,3} (?:hit|struck)\b"
)
SIDE = r"\b(?:one|left|right|other) (?:half|side)\b|\b(?:left|right|one|my|his|her) (?:arm|leg|hand)\b"
ALLERGEN = (
    r"\b(?:allerg\w*|hives|stung|sting|bee|wasp|hornet|(?:pea|wal|hazel|cashew )?nuts?|peanuts?|shellfish|prawns?|"
    r"penicillin|antibiotics?|epipen|rash all over|itch\w* all over)\b"
)
SWOLLEN_MOUTH = (
    r"\b(?:lips?|tongue|face|mouth|eyes)(?: [\w']+){0,4} (?:swell\w*|swollen|swelled|puff\w*|blow\w* up)\b|"
    r"\bswell(?:ing|ed) (?:of|in|up|around) (?:my |the |his |her )?(?:lips?|tongue|face|mouth|throat)\b|"
    r"\bswollen (?:lips?|tongue|face|throat)\b"
)
MANY_PILLS = (
    r"\b(?:took|taken|take|swallow\w*|downed|ate|eaten)(?:,? [\w']+){0,3},? (?:too many|(?:all|loads|lots|a lot|"
    r"a load|dozens|handfuls?) of|a (?:whole |full |entire )?(?:bottle|box|pack|packet|handful|strip|load|bunch) of|"
    r"whole (?:bottle|box|pack)|about \d\d+|\d\d+|twenty|thirty|forty|fifty|sixty)(?: [\w']+){0,4} (?:pills?|tablets?|"
    r"paracetamol|acetaminophen|tylenol|ibuprofen|painkillers?|sleeping|antidepressants?|medicines?|medication|meds|"
    r"capsules|xanax|opioids?|morphine|aspirin|valium|insulin)\b|\btoo much (?:insulin|paracetamol|morphine|fentanyl|"
    r"heroin)\b"
)
CAUSTIC = (
    r"\b(?:bleach|antifreeze|anti-freeze|pesticide|weed ?killer|rat poison|drain (?:cleaner|unblocker)|oven cleaner|"
    r"detergent|dishwasher tablet|washing (?:pod|capsule|liquid)|laundry (?:pod|capsule)|white spirit|turpentine|"
    r"petrol|paraffin|lamp oil|button battery|batteries|battery|acid|poison|mushrooms?|cleaning fluid|toilet cleaner|"
    r"slug pellets|nail polish remover|methanol|berries)\b"
)
ONGOING_CHRONIC = (
    r"\bfor (?:[\w']+ ){0,2}(?:months|years)\b|\bover (?:the )?(?:last|past) (?:[\w']+ )?(?:months|years)\b|"
    r"\bgradual\w*|\bslowly\b"
)

CALL = "Call the emergency number (112, 999, 911) now, or let me start the emergency call."
NHS = "https://www.nhs.uk/"
ST_JOHN = "https://www.sja.org.uk/first-aid-advice/"
