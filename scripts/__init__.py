"""Commands, run as ``python -m scripts.NAME``."""
