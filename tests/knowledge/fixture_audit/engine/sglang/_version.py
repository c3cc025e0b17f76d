__version__ = version = "2.1.0"
