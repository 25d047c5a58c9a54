"""What a capable model tells in its own words, held sentence by sentence against the phone."""
