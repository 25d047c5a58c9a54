"""The phone as the agents have it, by where their model runs: what may not go there is not in it."""

from __future__ import annotations

from dataclasses import dataclass

from camphor.agents.memory.long_term import LongTermMemory
from camphor.agents.memory.private import PrivateMemory
from camphor.device.device import Device
from camphor.device.sharing import HEALTH, MEMORY, Rules, rule_for, withheld


@dataclass(frozen=True)
class SharedPhone:
    """What an assistant is made of.

    Args:
        device: the phone as the model may see it. hidden: what it may not. whole: the phone with that, for code alone;
            None where nothing is hidden. unseen: marks of remembered facts that go to no model of another computer.
    """

    device: Device
    hidden: frozenset[str] = frozenset()
    whole: Device | None = None
    unseen: frozenset[str] = frozenset()

    def memory(self, conversation: str) -> LongTermMemory:
        """The memory of the phone, of which a model sees only what it may."""
        kind = PrivateMemory if MEMORY in self.hidden else LongTermMemory
        return kind(self.whole or self.device, conversation, self.unseen)


def shared_phone(device: Device, rules: Rules, computer: str | None) -> SharedPhone:
    """The phone for a model on that computer, None for this one."""
    hidden = withheld(device.apps, rules, computer)
    # health facts that were told go only where the health app goes by name, also on a phone that has none
    named = rule_for(rules, computer) or frozenset()
    unseen = frozenset() if computer is None or HEALTH in named else frozenset((HEALTH,))
    return SharedPhone(device.without(hidden), hidden, device, unseen) if hidden else SharedPhone(device, unseen=unseen)
