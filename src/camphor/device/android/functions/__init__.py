"""The 24 functions that DroidCall predefines, in its four groups (DroidCall, section 3.2.2).

Each is an ordinary Python function: its signature and docstring are the tool, its body says what Android is asked for.
Names and parameters are DroidCall's own, capitals included. A value that Android would refuse is an `ArgumentError`.
"""
