"""Samples of function calling in DroidCall's format: a query, and the plan of calls that answers it."""
