"""Doses at their times: what a plan of a medicine means on the wall clock, and reminders that nag until confirmed."""
