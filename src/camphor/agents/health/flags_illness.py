"""Red flags of mind and body that come from within: signs, what to tell the person, source."""

from __future__ import annotations

from camphor.agents.health.signs import (
    ALLERGEN,
    BREATHLESS,
    CALL,
    CANNOT_BREATHE,
    CHEST,
    CONFUSED,
    CRUSHING,
    DROWSY,
    FAINT,
    FEVER,
    NHS,
    ONGOING_CHRONIC,
    PREGNANT,
    SIDE,
    SPREADS,
    SUDDEN,
    SWEAT,
    SWOLLEN_MOUTH,
    VOMITING,
    Flag,
)

FLAGS: tuple[Flag, ...] = (
    Flag(
        "self_harm",
        "thoughts of suicide or self-harm",
        (
            (
                r"\b(?:want|wants|wanna|wish|going|plan\w*|ready|tempted|decided|prefer|rather|like|try\w*|tried|"
                r"need) (?:to )?(?:just )?(?:die|be dead|kill (?:myself|himself|herself|themselves)|end (?:it all|it|"
                r"my life|my own life|his life|her life|everything)|take my (?:own )?life|hurt myself|harm myself|"
                r"disappear forever|never wake up)\b(?! (?:of|from|laughing|with|than (?:eat|drink|go|do|see|wear|"
                r"watch))\b)",
            ),
            (
                r"\b(?:going to|gonna|want to|about to|will|ready to) (?:take|swallow) (?:all|every one of|"
                r"the whole)\b.{0,25}\b(?:pills|tablets|meds|medication|bottle)\b",
            ),
            (r"\b(?:hurting|harming|cutting) myself\b(?! (?:by|at|while|in|on the|with|when i (?:lift|run|train)))",),
            (
                r"\b(?:think\w*|thought|thoughts|idea|ideas|urge|urges|dream\w*|fantasi\w+)(?: [\w']+)? (?:of|about|"
                r"to) (?:(?:my own|my) death|dying|suicide|kill(?:ing)? myself|end(?:ing)? (?:it|my life|everything)|"
                r"tak(?:e|ing) my (?:own )?life|hurt(?:ing)? myself|harm(?:ing)? myself|cut(?:ting)? myself|"
                r"jump(?:ing)? (?:off|in front))\b",
            ),
            (
                r"\bsuicid(?:al|e)\b(?! (?:squad|prevention|awareness|mission|bomb\w*|hotline|charity|rates?|"
                r"statistics|doors?))",
            ),
            (
                r"\bkill(?:ing)? (?:myself|himself|herself)\b(?! (?:laughing|at|in the gym|with work|working|"
                r"training|over|for|to))",
            ),
            (
                r"\b(?:don't|do not|doesn't|does not|no longer)(?: really| even)? (?:want|wants|wish|care) (?:to|"
                r"if i) (?:live|be alive|be here|wake up|exist|go on|carry on living|live or die|be on this earth)\b",
            ),
            (
                r"\b(?:(?:no|(?:don't|can't|do not) see (?:any|a|the)) (?:reason|point)(?: left)?|nothing left|"
                r"not worth)(?: to| in| for me to)? (?:live|living|going on|carrying on|be alive|live for)\b",
            ),
            (
                r"\bbetter off (?:dead|without me|if i (?:was|were) (?:dead|gone|not here))\b|\blife (?:is not|isn't|"
                r"is no longer|isn't even) worth\b",
            ),
            (
                r"\bwish (?:that )?i (?:was|were) (?:dead|never born|not alive|gone)\b|"
                r"\bwish i (?:had never been born|wouldn't wake|would not wake|could (?:die|just die|"
                r"disappear forever))\b|\bhope i (?:don't|never) wake up\b",
            ),
            (
                r"\bself[- ]?harm\w*\b|\b(?:cut|cutting|cuts|burn|burning|hurting|harming) myself (?:on purpose|"
                r"deliberately|again|to feel|because|when)\b",
            ),
            (
                r"\bwrote (?:a |my )?(?:goodbye|farewell|suicide) (?:letters?|notes?)\b|"
                r"\bsaid (?:my )?goodbyes? to everyone\b",
            ),
        ),
        "You do not have to carry this alone. If you are in danger now, call the emergency number (112, 999, 911); "
        "else call a crisis line, "
        "such as 988 in the USA and Canada or Samaritans on 116 123 in the UK and Ireland, and stay with somebody "
        "you trust.",
        NHS + "mental-health/feelings-symptoms-behaviours/behaviours/help-for-suicidal-thoughts/",
        unless=r"\b(?:embarrass\w+|laughing|boredom|of shame|for forgetting|gym|commut\w+|traffic|career suicide)\b",
        crisis=True,
    ),
    Flag(
        "chest_pain",
        "chest pain with other warning signs",
        (
            (CHEST, BREATHLESS),
            (CHEST, SPREADS),
            (CHEST, SWEAT),
            (CHEST, FAINT),
            (CRUSHING,),
            (
                r"\b(?:having|has|have|getting|is this|might be|could be|this is|like|think it's|signs of) (?:a |"
                r"an )?(?:[\w']+ )?heart attack\b|\bcardiac arrest\b",
            ),
        ),
        "Sit down and rest. " + CALL,
        NHS + "symptoms/chest-pain/",
        unless=r"\bpush-?ups\b|\bbench press\b|\b(?:bill|price|gave me|nearly|almost|prank|scared me|"
        r"surprise)\b.{0,25}\bheart attack\b|"
        r"\bheart attack\b.{0,25}\b(?:bill|price)\b",
    ),
    Flag(
        "stroke",
        "signs of a stroke (FAST)",
        (
            (
                r"\b(?:face|mouth|cheek|smile|side of (?:my|his|her|the) face)(?: [\w']+){0,4} (?:droop\w*|dropp\w+|"
                r"fallen|falling|sagg\w+|lopsided|crooked|twisted|hanging|slack)\b|\b(?:droop\w+|lopsided|crooked|"
                r"sagging) (?:face|mouth|smile)\b|\b(?:can't|cannot) smile\b",
            ),
            (
                r"\b(?:one|left|right|other) (?:half|side) of (?:my|his|her|the) (?:face|"
                r"body)(?: [\w']+){0,4} (?:numb|weak|paraly[sz]ed|droop\w*|limp|dead|tingl\w+)\b|\b(?:numb|weak\w*|"
                r"paraly[sz]ed|limp|can't move)(?: [\w']+){0,4} (?:one|left|right) (?:half|side) of (?:my|his|her|"
                r"the) (?:face|body)\b|\b(?:can't|cannot|couldn't) move (?:my |his |her |the )?(?:whole |"
                r"entire )?(?:left|right|one) (?:half|side)\b",
            ),
            (
                r"\b(?:speech|words|talking|speaking)(?: [\w']+){0,4} (?:slurr\w+|garbled|jumbled|(?:come|came|"
                r"coming) out wrong|gone funny)\b|\bslurr\w+\b|\b(?:can't|cannot|couldn't) (?:get (?:my|his|her|the|"
                r"any) words out|find (?:my|the) words and|speak properly|talk properly)\b",
            ),
            (
                SUDDEN,
                SIDE,
                r"\b(?:arm|leg|hand|side)(?: [\w']+){0,4} (?:numb|weak|limp|paraly[sz]ed|useless|dead|won't move|"
                r"went dead)\b|\b(?:weakness|numbness|no strength|no feeling) (?:in|on|down) (?:my |his |her |the |"
                r"one )?(?:[\w']+ )?(?:arm|leg|hand|side)\b|\b(?:can't|cannot) (?:lift|move|feel|raise) (?:my |his |"
                r"her )?(?:left |right )?(?:arm|leg|hand)\b",
            ),
            (
                SUDDEN,
                r"\b(?:lost|losing|loss of|no) (?:my |the |all |his |her )?(?:sight|vision|eyesight)\b|\b(?:can't|"
                r"cannot|couldn't) see (?:anything|out of|on one|with|from)\b|\bwent blind\b|\bgone blind\b",
            ),
            (
                r"\b(?:having|had|has had|is this|might be|could be|might have had|think it's|signs of) (?:a |"
                r"an )?(?:\w+[- ])?stroke\b(?! of)",
            ),
        ),
        "Note the time when it began. " + CALL,
        NHS + "conditions/stroke/symptoms/",
        unless=rf"{ONGOING_CHRONIC}|\bdentist\b|\bopen\w*(?: [\w']+)? mouth\b|\bjaw\b|\ban(?:a)?esthetic\b|\bdrunk\b|"
        rf"\bheat ?stroke\b|\bgolf\b|\bswim\w*|\bparkinson\w*|"
        r"\bhoarse\b|\bsore throat\b|\blost (?:my|his|her) voice\b|\blaryngitis\b",
    ),
    Flag(
        "not_breathing",
        "great trouble breathing",
        (
            (CANNOT_BREATHE,),
            (r"\b(?:not|isn't|stopped|has stopped|barely|hardly) breathing\b",),
            (
                r"\basthma attack\b",
                r"\b(?:inhaler|puffer|pump)\b.{0,30}\b(?:not|isn't|doesn't|no|empty|lost|ran out|"
                r"didn't)\b|" + BREATHLESS,
            ),
            (
                r"\b(?:inhaler|puffer)(?: [\w']+){0,3} (?:not|isn't|doesn't|didn't) (?:work\w*|help\w*|do\w*)\b",
                BREATHLESS,
            ),
            (
                BREATHLESS,
                r"\b(?:cough\w*|spit\w*) (?:up )?(?:[\w']+ )?blood\b|\b(?:calf|leg)(?: [\w']+){0,3} (?:swollen|"
                r"swelling|swelled)\b|\bswollen (?:calf|leg)\b",
            ),
            (
                r"\bsudden\w* (?:[\w']+ ){0,3}(?:shortness of breath|breathless\w*|short of breath|"
                r"difficulty breathing|trouble breathing)\b|\b(?:breathless|"
                r"short of breath)(?: [\w']+){0,2} (?:suddenly|at rest|even sitting|when sitting)\b",
            ),
        ),
        "Sit upright and loosen tight clothes. " + CALL,
        NHS + "conditions/shortness-of-breath/",
        unless=r"\b(?:nose|nostrils?|stuffy|congest\w+|blocked|dress|jeans|trousers|bra|workload|deadlines?|in (?:my|"
        r"his|her|the) sleep|asleep|while sleeping|snor\w+|beautiful|laugh\w*)\b",
    ),
    Flag(
        "pregnancy",
        "a warning sign in pregnancy",
        (
            (
                PREGNANT,
                r"\bbleed(?:ing)?\b|\bbled\b|\bblood\b(?! (?:pressure|tests?|sugar|type|group|work|count|donor|"
                r"samples?|results?|thinn\w+))|\bh(?:a)?emorrhag\w+\b|\bblood (?:in|on) my (?:pants|knickers|"
                r"underwear)\b|\bspotting\b",
            ),
            (
                PREGNANT,
                r"\b(?:severe|terrible|unbearable|awful|very bad|intense|sharp|"
                r"excruciating)(?: [\w']+){0,2} (?:pains?|cramps?|cramping)\b|\bpain(?: [\w']+){0,4} (?:severe|"
                r"unbearable|excruciating)\b",
            ),
            (
                PREGNANT,
                r"\b(?:headache|head hurts)\b",
                r"\b(?:vision|seeing|flashing|blurr\w+|spots|swollen|swelling|ribs)\b",
            ),
            (
                r"\bbaby(?: [\w']+){0,3} (?:stopped|not|isn't|hasn't|no longer)(?: been)? (?:mov\w+|kick\w+)\b|"
                r"\b(?:haven't|have not|can't|not|don't|didn't) (?:felt|feel|feeling) (?:the |"
                r"my )?baby(?: [\w']+)? (?:mov\w*|kick\w*)\b|\bbaby(?: [\w']+){0,2} moving (?:much )?less\b",
            ),
            (PREGNANT, r"\b(?:seizure|fits?|convuls\w+)\b"),
        ),
        "Call your maternity unit or the emergency number (112, 999, 911) now; I can start the emergency call.",
        NHS + "pregnancy/common-symptoms/vaginal-bleeding/",
        unless=r"\b(?:gums?|nose ?bleeds?|nose|brush\w*|not pregnant|isn't pregnant|implantation)\b",
    ),
    Flag(
        "anaphylaxis",
        "a severe allergic reaction",
        (
            (
                r"\b(?:throat|airway|windpipe)(?: [\w']+){0,4} (?:clos\w+|swelling|swell(?:ed)? (?:up|shut)|"
                r"swollen shut|constrict\w+|tightening|seizing up)\b",
            ),
            (
                r"\btongue(?: [\w']+){0,3} (?:swell\w*|swollen|swelled|too big|getting (?:bigger|fat|thick)|huge)\b|"
                r"\bswollen tongue\b|\bswelling of (?:my|the|his|her) tongue\b",
            ),
            (SWOLLEN_MOUTH, ALLERGEN),
            (SWOLLEN_MOUTH, BREATHLESS),
            (ALLERGEN, CANNOT_BREATHE),
            (r"\b(?:allergic reaction|hives|stung|sting|allergy|peanuts?|nuts)\b", BREATHLESS + "|" + FAINT),
            (r"\banaphyla\w+\b",),
            (r"\bused (?:my|his|her|the|an) epi-?pen\b",),
        ),
        "Use the adrenaline pen if there is one, and lie down. " + CALL,
        NHS + "conditions/anaphylaxis/",
        unless=r"\bhay ?fever\b|\bseasonal\b|\bused to be allergic\b|\bdental\b",
    ),
    Flag(
        "seizure",
        "a seizure",
        (
            (
                r"\b(?:having|has|had|just had|is having|in the middle of)(?: [\w']+){0,2} (?:seizures?|convulsions?|"
                r"(?:epileptic )?fit)\b(?! (?:of|for|and (?:healthy|well)|bit|body|in))",
            ),
            (
                r"\b(?:convulsing|seizing(?! up)|fitting on the|jerking all over|shaking uncontrollably|"
                r"whole body (?:is )?(?:jerking|shaking|convulsing))\b",
            ),
            (
                r"\b(?:seizures?|fits?|convulsions?)\b(?: [\w']+){0,5} (?:won't stop|not stopping|"
                r"one after (?:another|the other)|(?:more than|over|lasting|for) (?:[\w']+ )?(?:five|six|ten|"
                r"\d+) minutes)\b",
            ),
        ),
        "Keep things away that could hurt, hold nobody down, put nothing in the mouth, and time it. " + CALL,
        NHS + "symptoms/what-to-do-if-someone-has-a-seizure-fit/",
        unless=r"\b(?:coughing fit|sneezing fit|giggl\w+|fit of|hissy fit|panic|laughing|sometimes|occasionally|"
        r"epilep\w+ (?:for|since|clinic|nurse|check)|every (?:few|couple|month|week|year)|now and then|"
        r"absence seizures?|from time to time|seizure medic\w+|free of seizures|seizure[- ]free|medicine for|"
        r"tablets for|review)\b",
    ),
    Flag(
        "meningitis",
        "signs of meningitis",
        (
            (
                r"\b(?:stiff neck|neck(?: [\w']+){0,3} stiff|(?:can't|cannot|hurts to) (?:bend|touch|put|"
                r"move)(?: [\w']+){0,3} (?:neck|chin|head))\b",
                FEVER,
            ),
            (
                r"\b(?:stiff neck|neck(?: [\w']+){0,3} stiff)\b",
                r"\brash\b|\blight hurts\b|\bhurts? (?:to look at|in) (?:the )?(?:light|bright)\b|"
                r"\bsensitive to light\b",
                r"\bheadache\b|\bhead hurts\b|\brash\b",
            ),
            (
                r"\b(?:rash|spots)(?: [\w']+){0,5} (?:doesn't|does not|don't|won't|not|isn't|didn't) (?:fade|fading|"
                r"disappear|go away when|go white|blanch)\b|\bglass test\b|\bnon-?blanching\b",
            ),
            (
                FEVER,
                r"\bheadache\b|\bhead hurts\b|\bhead is (?:splitting|pounding)\b",
                r"\blight hurts\b|\bsensitive to light\b|\b(?:can't|cannot) (?:stand|bear|look at) (?:the )?(?:light|"
                r"bright)\b|" + CONFUSED,
            ),
        ),
        CALL,
        NHS + "conditions/meningitis/",
        unless=r"\bage spots\b|\bacne\b|\bpimples?\b",
    ),
    Flag(
        "thunderclap_headache",
        "a sudden very severe headache",
        (
            (
                r"\b(?:sudden\w*|out of nowhere|in seconds|within seconds|like (?:a )?(?:thunder\w*|explosion)|"
                r"like being hit)\b",
                r"\b(?:severe|worst|terrible|agoni[sz]ing|blinding|unbearable|excruciating|"
                r"explosive)(?: [\w']+){0,2} head(?:ache| pain)\b|\bhead(?:ache)?(?: [\w']+){0,5} (?:worst|exploded|"
                r"exploding|unbearable|agony)\b",
            ),
            (
                r"\bworst headache (?:of|in) my (?:whole |entire )?life\b|\bworst headache i(?:'ve| have) ever\b|"
                r"\bthunderclap\b",
            ),
        ),
        CALL,
        NHS + "conditions/headaches/",
        unless=ONGOING_CHRONIC,
    ),
    Flag(
        "sepsis",
        "signs of sepsis",
        (
            (r"\bsepsis\b(?! (?:awareness|survivor|leaflet))",),
            (
                FEVER + r"|\binfect\w+\b",
                r"\b(?:mottled|blotchy|bluish|blue|grey|gray)(?: [\w']+)? (?:skin|lips|hands|fingers)\b|"
                r"\bskin(?: [\w']+){0,3} (?:mottled|blotchy|blue|grey|gray)\b",
            ),
            (
                FEVER + r"|\binfect\w+\b",
                CONFUSED + r"|\b(?:hasn't|haven't|not) (?:peed|urinated|passed (?:any "
                r")?(?:urine|water))\b",
            ),
        ),
        CALL,
        NHS + "conditions/sepsis/",
    ),
    Flag(
        "diabetic_emergency",
        "a diabetic emergency",
        (
            (
                r"\bdiabet\w+\b|\bblood sugar\b|\binsulin\b|\bglucose\b",
                CONFUSED + "|" + DROWSY + r"|\bshaking and "
                r"sweating\b|\bfruity\b|\bketones?\b|\bunconscious\b|\bbreathing (?:very )?fast\b",
            ),
            (r"\bdiabet\w+\b|\binsulin\b", VOMITING),
            (
                r"\bhypo\b",
                r"\b(?:won't|not|can't|isn't|still)\b(?: [\w']+){0,3} (?:come up|coming up|swallow|improv\w+|low)\b",
            ),
        ),
        "If the sugar is low and you can swallow, take something sweet. " + CALL,
        NHS + "conditions/low-blood-sugar-hypoglycaemia/",
        unless=r"\b(?:the dose|how much|confus\w+ (?:about|by)|check my blood sugar)\b",
    ),
)
