"""The laboratory: datasets are made, models are trained, and what people get is measured.

It depends on `camphor`, which never imports it; `camphor lab ...` is its command line.
"""
