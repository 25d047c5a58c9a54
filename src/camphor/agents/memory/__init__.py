"""What a person tells of themselves: read, kept, corrected, forgotten, and used in later queries."""
