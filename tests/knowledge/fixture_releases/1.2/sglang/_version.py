__version__ = version = "1.2.0"
