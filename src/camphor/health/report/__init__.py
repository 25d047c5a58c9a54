"""The daily report: what one day, some weeks or months showed; as a page, a PDF, text, and FHIR for a doctor."""
