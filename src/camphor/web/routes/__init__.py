"""A module for each part of the interface; its `router` is found by its name."""
