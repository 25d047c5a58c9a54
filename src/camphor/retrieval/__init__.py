"""Finding the tools that a query needs among many: retrievers, and a toolbox cut down by one (CAMPHOR, section 5.5)."""
