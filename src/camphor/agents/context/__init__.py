"""Plans of one call for requests that leave unsaid what they mean: made from the items that they are about."""
