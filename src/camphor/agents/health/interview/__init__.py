"""The coded interview about a complaint: questions of a fixed list, answers kept in the person's own words."""
