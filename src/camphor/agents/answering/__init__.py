"""Answers as programs over records: a question picks records, fields and an operation; code says what they hold."""
