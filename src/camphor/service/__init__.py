"""The one background process: reminds of doses, looks at readings, brings messages away. The web app runs it too."""
