"""What goes wrong."""


class BobbinError(Exception):
    """What failed, and what to do about it."""
