"""The health assistant: appointments, vitals, medicines, emergencies, reports; on the agents and the device below."""
