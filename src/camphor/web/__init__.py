"""The web app: what the command line does, in a browser on this machine, and as a REST interface.

`application.create_app` makes it from `services.Services`; `camphor serve` runs it. Pages are plain HTML with small
ES modules and no inline script, so that a strict content security policy holds; every page is a client of the same
interface that anybody may use.
"""
