__version__ = version = "9.8.7"
