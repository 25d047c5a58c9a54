"""Trajectories of the health assistant: diseases in patients' words, people, clinics, and flows carried out on a phone."""
