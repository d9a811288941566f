"""What was lost, as the description of the batch format says that it is told."""

import re
from collections import Counter
from pathlib import Path

FORMAT = Path(__file__).resolve().parents[2] / "crates" / "core" / "src" / "wire" / "README.md"


def reasons():
    """Whether the numbers of what was lost for a reason are missing, by reason."""
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|( ● | )\|", FORMAT.read_text(encoding="utf-8"), re.MULTILINE)
    return {reason: mark.strip() == "●" for names, mark in rows for reason in re.findall(r"\w+", names)}


class Losses:
    """What the `dropped` records among these tell."""

    def __init__(self, records):
        leaves_gap = reasons()
        self.by_what = Counter()
        self.by_reason = Counter()
        # As many numbers are missing.
        self.gap = 0
        for record in records:
            if record["kind"] == "dropped":
                what, reason, count = record["what"], record["reason"], record["count"]
                self.by_what[what] += count
                self.by_reason[reason] += count
                self.gap += count if leaves_gap[reason] and what != "profile_source" else 0


def missing(numbers):
    """How many numbers are missing before the last; there is none twice."""
    assert len(numbers) == len(set(numbers))
    return max(numbers) - len(numbers)
