"""What the health assistant keeps that is no record of an app: readings, doses, messages, days."""
