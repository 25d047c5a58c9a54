"""Prescriptions: what a photo, a PDF or typed text says, with how sure the reading is, for the person to check."""
