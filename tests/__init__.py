"""A package, so that `tests.doubles` is found here and not in a `tests` that some distribution installs."""
