"""What an assistant did, or should have done, as data: items, replay on a phone, and what a person taught."""
