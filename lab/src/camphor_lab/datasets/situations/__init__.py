"""Programs over a phone: each draws one wish with its look-ups and gold calls."""

from camphor_lab.datasets.situations import apps, chains, facts, messages, open_ends, planning, showing

__all__ = ["apps", "chains", "facts", "messages", "open_ends", "planning", "showing"]
