"""Trajectories of the health assistant: diseases in patients' words, people, clinics, flows carried out on a phone."""
