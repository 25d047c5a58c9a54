"""The gate before every action: is it asked for, and was every value of it said, found or computed?

Pure code, the same for every model, strategy and surface. `judge` gives one frozen `Verdict` for a call; what is not
asked for is not proposed, and what is in doubt is for the person alone to agree to (`--yes` is no answer to it).
"""

from camphor.agents.evidence import Evidence, Origin
from camphor.agents.gate.asked import leaves_open, nothing_asked
from camphor.agents.gate.judge import Scene, judge, refusal_of, why_nothing
from camphor.agents.gate.outgoing import carried_out
from camphor.agents.gate.scene import Asked, Verdict
from camphor.agents.gate.unseen import doubt_of_unseen
from camphor.agents.gate.values import said_in, unnamed

__all__ = [
    "Asked",
    "Evidence",
    "Origin",
    "Scene",
    "Verdict",
    "carried_out",
    "doubt_of_unseen",
    "judge",
    "leaves_open",
    "nothing_asked",
    "refusal_of",
    "said_in",
    "unnamed",
    "why_nothing",
]
