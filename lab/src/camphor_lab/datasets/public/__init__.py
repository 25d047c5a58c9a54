"""Public sets of requests and function calls as training items on made-up phones, for tools that no model has seen.

Ideas behind it: definitions must be read, so every item has other names for its tools and parameters; values are copied
from the query; where no tool fits, nothing is called. Sources and licences stand in the README beside this file.
"""

from camphor_lab.datasets.public.make import make

__all__ = ["make"]
