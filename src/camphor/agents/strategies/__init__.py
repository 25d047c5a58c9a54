"""The prompting strategies that CAMPHOR compares (section 5.2, Table 1), each for any language model."""
