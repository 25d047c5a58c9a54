"""camphor: a private assistant that runs on a person's own machine, and the toolkit to build, train and measure one."""

__version__ = "0.1.0"
