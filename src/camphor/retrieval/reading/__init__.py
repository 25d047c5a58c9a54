"""Small networks that read: an encoder, the reader of records that it was trained as, and changes for other ends."""
