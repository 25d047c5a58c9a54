"""Forms of medicines: in what they are counted, and where they go."""

from __future__ import annotations

ON_SKIN = ("cream", "ointment", "gel", "lotion", "foam", "paste", "shampoo")
UNIT_OF = {
    "tablet": "tablet",
    "capsule": "capsule",
    "inhaler": "puff",
    "spray": "spray",
    "drops": "drop",
    "patch": "patch",
    "sachet": "sachet",
    "suppository": "suppository",
    "pessary": "pessary",
    "nebule": "nebule",
    "lozenge": "lozenge",
    "wafer": "wafer",
    "injection": "injection",
    "puff": "puff",
    "drop": "drop",
    "film": "film",
    "ring": "ring",
    "enema": "enema",
    "rotacap": "capsule",
    "pastille": "pastille",
    "implant": "implant",
    "ampoule": "ampoule",
    "vial": "vial",
    "blister": "blister",
    "application": "application",
}
