"""The version of the package; setuptools reads the literal."""

__version__ = "0.1.0"
