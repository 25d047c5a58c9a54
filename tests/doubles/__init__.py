"""What tests put in the place of phones, models, servers and files, each named after what it stands for."""
