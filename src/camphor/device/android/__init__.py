"""The 24 functions of DroidCall: the Android intents that they stand for, and the apps of a simulated Android phone."""
