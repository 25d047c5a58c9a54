"""Red flags of accidents and of people found helpless: signs, what to tell the person, source."""

from __future__ import annotations

from camphor.agents.health.signs import (
    CALL,
    CANNOT_BREATHE,
    CAUSTIC,
    CONFUSED,
    DROWSY,
    HEAD_HIT,
    MANY_PILLS,
    NHS,
    ST_JOHN,
    VOMITING,
    Flag,
)

FLAGS: tuple[Flag, ...] = (
    Flag(
        "unconscious",
        "somebody who does not wake or respond",
        (
            (
                r"\b(?:unconscious|unresponsive|(?:not|isn't|stopped|won't) respond(?:ing)?|(?:has )?no pulse|"
                r"can't find (?:a|his|her|the|any) pulse)\b(?! (?:bias|to (?:treatment|the (?:cream|tablets|medicine|"
                r"antibiotics))))",
            ),
            (
                r"\b(?:won't|can't|cannot|doesn't|does not|isn't|not) (?:wake|waking|be woken)(?: (?:up|him|her|them|"
                r"it|my \w+))*\b(?! (?:up )?(?:early|on time|in the morning|before|rested|refreshed|for work|"
                r"for school))",
            ),
            (
                r"\b(?:he|she|husband|wife|father|dad|mother|mum|mom|son|daughter|baby|child|friend|man|woman|"
                r"somebody|someone|gran\w*|partner|colleague|brother|sister)(?: [\w']+)? (?:has |just |has just |"
                r"have )?(?:collapsed|passed out|fainted)\b",
            ),
            (
                r"\b(?:keep|keeps|about to|going to)(?: on)? (?:losing|lose) consciousness\b|\blos(?:t|"
                r"ing) consciousness\b",
            ),
        ),
        "Check whether they breathe; if not, begin chest compressions and say so on the phone. " + CALL,
        ST_JOHN + "cardiac-arrest/",
        unless=r"\b(?:unconscious bias|email|phone|laptop|alarm|landlord|insurance|customer|tired|"
        r"exhausted on the sofa|limbs?|arms?|legs?|hands?|feet|foot|fingers|toes|drunk(?:en)? (?:on|at))\b",
    ),
    Flag(
        "severe_bleeding",
        "severe bleeding",
        (
            (
                r"\b(?:bleed\w*|blood)(?: [\w']+){0,5} (?:heavily|badly|profusely|uncontrollably|everywhere|"
                r"non-?stop|to death|out fast)\b|\bbleeding (?:a lot|so much|out)\b|\b(?:heavy|severe|bad|"
                r"massive) bleeding\b",
            ),
            (
                r"\b(?:won't|can't|cannot|will not|doesn't|does not|not|hasn't|couldn't|to)(?: [\w']+)? stop(?:ped|"
                r"ping)? (?:the |my |his |her |it )?(?:from )?bleeding\b|\bbleed\w*.{0,50}\b(?:won't|will not|"
                r"doesn't|does not|hasn't|isn't|not) stop\w*\b|\bstill bleeding after\b",
            ),
            (
                r"\bblood(?: [\w']+){0,3} (?:spurting|gushing|pouring|pumping|squirting|soaking|soaked)\b|"
                r"\b(?:spurting|gushing|pouring|soaked (?:in|with|through with)|covered in|pool of|pumping|"
                r"losing (?:a lot of|so much|too much)|lost (?:a lot of|so much|too much|lots of)) (?:with )?blood\b",
            ),
            (r"\b(?:vomit\w*|throw\w*|threw|puk\w+|bring\w*|sick)(?: [\w']+){0,4} (?:blood|coffee grounds)\b",),
            (
                r"\b(?:cough\w*|spit\w*)(?: [\w']+)? (?:a lot of|lots of|cupfuls? of|mouthfuls? of|so much|loads of|"
                r"tons of|much) blood\b",
            ),
            (
                r"\b(?:(?:cut|severed|torn|hit|nicked) (?:an?|my|the|his|her) artery|cut (?:my|his|her) (?:wrists?|"
                r"throat|neck)|(?:finger|arm|leg|hand|foot|toe)(?: [\w']+){0,3} (?:cut off|severed|amputated|"
                r"torn off)|severed)\b",
            ),
        ),
        "Press firmly on the wound with a clean cloth and keep pressing. " + CALL,
        ST_JOHN + "life-threatening-bleed/",
        unless=r"\b(?:period|periods|menstru\w+|monthly|every month|gums?|brush\w*|floss\w*|blood (?:test|sample|"
        r"pressure))\b",
    ),
    Flag(
        "poisoning",
        "poisoning or an overdose",
        (
            (
                r"\boverdos(?:e|ed|ing)\b(?! (?:on|of) (?:chocolate|sugar|coffee|netflix|tv|cake|cute\w*|sun|news|"
                r"work|vitamin c|sweets|carbs))|\btaken an od\b",
            ),
            (MANY_PILLS,),
            (
                rf"\b(?:swallow\w*|drank|drunk|drinking|ate|eaten|eating|ingest\w*|licked|"
                rf"gulped)\b(?: [\w']+){{0,5}} {CAUSTIC[2:]}",
            ),
            (r"\b(?:been|am|was|were|got|is|i'm|he's|she's|have) poisoned\b|\bpoisoned (?:myself|himself|herself)\b",),
            (
                r"\bcarbon monoxide\b|\bco alarm\b|\b(?:gas|fumes)(?: [\w']+){0,4} (?:inhaled|breathed)\b|"
                r"\b(?:inhaled|breathed in)(?: [\w']+){0,4} (?:gas|fumes|smoke|chlorine|bleach)\b",
            ),
            (
                r"\bbitten by (?:a|an)(?: [\w']+)? (?:snake|viper|adder|cobra|rattlesnake|black widow|scorpion)\b|"
                r"\bsnake ?bite\b|\bsnake bit\b",
            ),
        ),
        "Do not make anybody vomit; keep the packet to show it. " + CALL,
        NHS + "conditions/poisoning/",
        unless=r"\b(?:food poisoning|poison ivy|as prescribed|prescribed|on time|the whole course|course of|"
        r"smoke alarm test|too many antibiotics in my life|mushroom (?:soup|risotto|pizza)|edible|fried mushrooms|"
        r"cooked)\b",
    ),
    Flag(
        "severe_burn",
        "a severe burn",
        (
            (
                r"\b(?:burn(?:t|ed|s)?|scald(?:ed|s)?)\b.{0,50}\b(?:deep|huge|large|big|badly|severe|severely|"
                r"charred|white and|leathery|face|genitals|whole (?:hand|arm|leg|chest|back)|all over (?:my|his|her)|"
                r"bigger than)\b|\b(?:severe|bad|huge|large|deep|third[- ]degree|chemical|electrical|acid|"
                r"terrible) (?:burns?|scalds?)\b",
            ),
            (
                r"\b(?:boiling|hot|scalding) (?:[\w']+ )?(?:water|oil|tea|coffee|soup|fat|"
                r"milk)\b(?: [\w']+){0,6} (?:all over|over|down) (?:my|his|her|him|himself|herself|myself|the baby)\b",
            ),
            (
                r"\belectrocuted\b|\belectric(?:al)? shock\b|\bstruck by lightning\b|\b(?:clothes|hair|sleeve|"
                r"shirt) (?:caught|is on|are on|on) fire\b",
            ),
            (
                r"\b(?:bleach|acid|chemicals?|oven cleaner|ammonia|lye|cement|"
                r"drain cleaner)\b(?: [\w']+){0,5} (?:eyes?|face)\b",
            ),
        ),
        "Cool the burn under cool running water for at least 20 minutes, without ice; rinse chemicals from eyes and "
        "skin. " + CALL,
        NHS + "conditions/burns-and-scalds/",
        unless=r"\b(?:sunburn\w*|(?:in|from|by) the sun|heartburn|burnt?[- ]?out|burning (?:sensation|feeling)|"
        r"sunscreen|salicylic|"
        r"hyaluronic|acid reflux|stomach acid|acne|peel|serum|cream|uric|folic|like an? (?:little |"
        r"small )?electric\w*|electric shocks? (?:feeling|sensation)|pains? like)\b",
    ),
    Flag(
        "choking",
        "choking",
        (
            (
                r"\b(?:i'm|i am|is|are|he's|she's|it's|started|now|baby's|was|somebody's|someone's|"
                r"been) choking\b(?! (?:up|back|hazard|risk))|\bchoking (?:on (?:a|an|his|her|my|some|food|meat|"
                r"something|the)|right now|help)\b|\bchoked on (?:a|an|his|her|some|food)\b",
            ),
            (
                r"\b(?:stuck|lodged|caught) in (?:my|his|her|their|the) (?:throat|windpipe|airway)\b",
                CANNOT_BREATHE + r"|\b(?:can't|cannot) (?:swallow (?:my )?saliva|cough|speak|talk|cry)\b",
            ),
        ),
        "Cough hard; others: five sharp blows between the shoulder blades, then five thrusts to the belly, or to the "
        "chest of a baby under one or of somebody pregnant. " + CALL,
        ST_JOHN + "choking/",
        unless=r"\b(?:tears|emotion\w*|when i lie down|at night for|sometimes|often|under pressure|smog)\b",
    ),
    Flag(
        "head_injury",
        "a head injury with warning signs",
        (
            (
                HEAD_HIT,
                r"\b(?:knocked out|passed out|unconscious|blacked out|lost consciousness|out cold|saw stars and)\b",
            ),
            (HEAD_HIT, VOMITING),
            (HEAD_HIT, CONFUSED),
            (HEAD_HIT, DROWSY),
            (
                HEAD_HIT,
                r"\b(?:seizure|fit|clear (?:fluid|liquid)|blood from (?:my|his|her|the) (?:ears?|nose)|"
                r"bleeding from (?:my|his|her|the) ears?|double vision|seeing double|blurred vision|slurr\w+|memory|"
                r"worst headache|headache(?: [\w']+){0,4} (?:worse|unbearable)|black eyes|skull fracture|dent)\b",
            ),
            (HEAD_HIT, r"\b(?:blood thinners?|warfarin|apixaban|rivaroxaban|anticoagulants?)\b"),
        ),
        "Keep still and do not drive. " + CALL,
        NHS + "conditions/head-injury-and-concussion/",
    ),
    Flag(
        "spinal_cord",
        "back trouble with signs of pressed nerves",
        (
            (
                r"\bback(?: [\w']+){0,3} (?:pain|hurts?|ache|injury|problem\w*)\b|\bsciatica\b|\bslipped disc\b|"
                r"\bfell\b|\bpain in (?:my|his|her|the) (?:lower )?back\b|\bback ?ache\b",
                r"\b(?:can't|cannot|lost|losing|loss of|no)(?: [\w']+){0,2} (?:control|hold|"
                r"feel)(?: [\w']+){0,4} (?:bladder|bowels?|pee|urine|poo|wee)\b|\b(?:numb\w*|no feeling|"
                r"tingl\w+)(?: [\w']+){0,3} (?:between my legs|groin|genitals|saddle|bottom|buttocks|inner thighs)\b|"
                r"\b(?:can't|cannot) (?:pee|urinate|move my legs|feel my legs)\b|\bwet myself\b",
            ),
        ),
        "Keep still. Go to an emergency department at once or call the emergency number (112, 999, 911).",
        NHS + "conditions/back-pain/",
    ),
    Flag(
        "major_injury",
        "a major injury",
        (
            (
                r"\b(?:been|was|got|is|i'm|he's|she's) (?:stabbed|shot|run over|crushed|impaled|knifed)\b|"
                r"\bgunshot\b|\bstab wound\b|\bknife (?:is )?(?:in|sticking)\b",
            ),
            (
                r"\bbone(?: [\w']+){0,3} (?:sticking out|through (?:the|my) skin|poking out|exposed|visible)\b|"
                r"\b(?:car|road|motorbike|bike) (?:crash|accident)\b.{0,60}\b(?:trapped|can't move|bleeding|"
                r"badly (?:hurt|injured))\b",
            ),
            (r"\b(?:drown\w*|pulled (?:from|out of) the water)\b(?! in (?:work|debt|emails|paperwork))",),
        ),
        "Do not move the injured person unless there is danger. " + CALL,
        NHS + "nhs-services/urgent-and-emergency-care-services/when-to-call-999/",
        unless=r"\b(?:shot (?:of|in the arm) (?:vaccine|cortisone)|flu shot|vaccin\w+|photo\w*|stabbing pain|sorrows|"
        r"as (?:if|though)|feels? like|felt like|like i|concentration|nerves|patience|dog|cat)\b",
    ),
    Flag(
        "call_for_help",
        "a call for help",
        (
            (r"\b(?:call|send|get|need|want)(?: [\w']+){0,2} ambulance\b|\bambulance (?:now|quick|please)\b",),
            (r"\b(?:call|ring|dial) (?:999|911|112)\b|\bhard sos\b|^\W*(?:sos|help(?: me)?|emergency|ambulance)\W*$",),
        ),
        CALL,
        NHS + "nhs-services/urgent-and-emergency-care-services/when-to-call-999/",
        unless=r"\bambulance (?:bill|card|insurance|fee|driver|service)\b|\b(?:don't|do not|no) need\b|\bend sos\b",
    ),
)
