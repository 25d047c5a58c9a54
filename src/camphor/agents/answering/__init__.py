"""Answers as programs over records: a question picks records, fields and one operation, and code says what they hold."""
