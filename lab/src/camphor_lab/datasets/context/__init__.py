"""The data of context tuning: invented lives and under-specified queries (Context Tuning, Appendix A)."""
