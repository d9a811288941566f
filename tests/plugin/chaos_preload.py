"""Bobbin for a scheduler's preload, with a count of what it had to tell.

The file that BOBBIN_CHAOS_COUNT names has in the end how many records there were of the kinds that are told one by one.
"""

import json
import os
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "assets" / "plugin"))

import bobbin  # noqa: E402


class Counted(bobbin._Outbox):
    """Counts what is offered, and profiles where they are made of their parts."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.made = Counter()

    def _put(self, rows):
        self.made.update(kind for kind, _, _ in rows if kind in ("sample", "worker"))
        super()._put(rows)

    def _add(self, kind, key, row):
        self.made.update([kind] if kind == "profile" else [])
        if kind == "stop":
            Path(os.environ["BOBBIN_CHAOS_COUNT"]).write_text(json.dumps(self.made))
        super()._add(kind, key, row)


# Dask runs the file of a preload more than once.
if bobbin._Outbox.__name__ != Counted.__name__:
    bobbin._Outbox = Counted
dask_setup = bobbin.dask_setup
