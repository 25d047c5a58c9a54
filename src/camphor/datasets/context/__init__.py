"""Context tuning: simulated lives, implicit queries about them, and what each is about (Context Tuning, appendix A)."""
