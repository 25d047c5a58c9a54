"""The health assistant's two agents: a planner that reasons and a caller that writes one call (medical paper, 4.2)."""
