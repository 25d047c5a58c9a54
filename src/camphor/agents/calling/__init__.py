"""Functions called in answer to one request: prompts in DroidCall's forms and ours, and who writes the calls."""
