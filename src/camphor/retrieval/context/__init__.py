"""Finding the items on a device that a query is about, here and now, where its words do not say so (Context Tuning)."""
