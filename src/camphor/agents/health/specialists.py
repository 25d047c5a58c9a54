"""The kinds of specialists that the assistant can find: what its models were trained to name."""

GENERAL = "general physician"
DIETICIAN = "dietician"
SPECIALISTS = (
    GENERAL, "cardiologist", "dermatologist", DIETICIAN, "endocrinologist", "ent specialist",
    "gastroenterologist", "gynecologist", "hematologist", "hepatologist", "infectious disease specialist",
    "nephrologist", "neurologist", "oncologist", "ophthalmologist", "orthopedist", "psychiatrist",
    "pulmonologist", "rheumatologist", "urologist", "vascular surgeon", "dentist",
)  # fmt: skip
