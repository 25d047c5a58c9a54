"""What the laboratory adds to the web app."""
