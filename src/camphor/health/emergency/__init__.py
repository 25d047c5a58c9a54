"""A person's emergency: who is told of it, with which words, how the messages leave the phone. No language model."""
