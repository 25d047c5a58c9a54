"""Context tuning as it is measured: other finders, tools read off a query, the planner of one call in five settings.

What an assistant runs of it is in `camphor.retrieval.context`.
"""
