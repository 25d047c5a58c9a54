"""`camphor lab ...`: what a researcher runs. Each command imports what it needs when it runs."""
