"""The `bobbin` command, for what the file alone does not tell: filters, prices, and what is sealed."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
from typing import Any, Dict, Iterator, List, Optional, Sequence

from .errors import BobbinError
from .receiver import parsed, record
from .rows import Computation, Event, ExceptionRow
from .store import at

#: A question to it may take so long; one for the card, so long.
SECONDS = 60.0
CARD_SECONDS = 20.0
#: As many rows of a list as it tells at once.
PAGE = 1000


def binary() -> Optional[str]:
    """Where it is: `BOBBIN_COMMAND`, or on the path."""
    return shutil.which(os.environ.get("BOBBIN_COMMAND") or "bobbin")


def ask(folder: pathlib.Path, arguments: Sequence[str], why: str, seconds: float = SECONDS) -> Any:
    """Its answer as JSON."""
    found = binary()
    if found is None:
        raise BobbinError("%s needs the `bobbin` command: put it on the path, or name it in BOBBIN_COMMAND" % why)
    asked = [found, "--data-dir", str(folder), "--json", *arguments]
    try:
        done = subprocess.run(asked, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False)
        answer = json.loads(done.stdout)
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        raise BobbinError("%s does not answer: %s" % (found, error)) from error
    wrong = record(answer).get("error")
    if wrong is not None:
        raise BobbinError(str(record(wrong).get("message")))
    return answer


def matching(folder: pathlib.Path, filter: str) -> Iterator[List[int]]:
    """The numbers of the clusters that a filter finds, page after page in the order of the list here."""
    offset = 0
    while True:
        answer = ask(folder, ["clusters", "--limit", str(PAGE), "--offset", str(offset), "--", filter], "filter=")
        rows = answer["rows"]
        if rows:
            yield [row["id"] for row in rows]
        offset += len(rows)
        if len(rows) < PAGE:
            return


def shown(folder: pathlib.Path, cluster: int) -> Dict[str, Any]:
    answer: Dict[str, Any] = ask(folder, ["show", str(cluster)], "text=True")
    return answer


def not_too_many(rows: int, what: str) -> None:
    """What cannot be asked for is no locked text."""
    if rows > PAGE:
        raise BobbinError("text=True works for up to %d %s of a cluster, but there are %d: pass limit=%d" % (PAGE, what, rows, PAGE))


def open_computations(folder: pathlib.Path, cluster: int, rows: List[Computation]) -> None:
    not_too_many(len(rows), "computations")
    told = {row["computation_id"]: row["code"] for row in shown(folder, cluster)["computations"]["rows"]}
    for row in rows:
        code = record(told.get(row["computation_id"]))
        if code.get("is") == "frames":
            row["code"], row["locked"] = code["frames"], False


def open_events(folder: pathlib.Path, cluster: int, rows: List[Event]) -> None:
    not_too_many(len(rows), "events")
    told = shown(folder, cluster)["events"]["rows"]
    # In the order of the list here; what came in meanwhile stands before, and what was removed meanwhile is not there.
    place = 0
    for row in rows:
        key = (row["at"], row["topic"])
        found = next((n for n in range(place, len(told)) if (at(told[n]["at_micros"]), told[n]["topic"]) == key), None)
        if found is None:
            continue
        place = found + 1
        text = opened(told[found]["payload"])
        if text is not None:
            row["payload"], row["locked"] = parsed(text), False


def open_exceptions(folder: pathlib.Path, rows: List[ExceptionRow]) -> None:
    for cluster in sorted({row["cluster_id"] for row in rows}):
        not_too_many(sum(row["cluster_id"] == cluster for row in rows), "exceptions")
        told = {row["exception_id"]: row for row in shown(folder, cluster)["exceptions"]["rows"]}
        for row in rows:
            texts = told.get(row["exception_id"])
            if row["cluster_id"] != cluster or texts is None:
                continue
            row["message"], row["traceback"] = opened(texts["message"]), opened(texts["traceback"])
            row["locked"] = "locked" in (texts["message"]["is"], texts["traceback"]["is"])


def opened(sealed: Dict[str, Any]) -> Optional[str]:
    text = sealed.get("text")
    return text if isinstance(text, str) else None


def told_of(folder: pathlib.Path, cluster: int) -> Dict[str, Any]:
    """For the card: what it cost, and how it stands against its earlier runs. Nothing where the command is not there."""
    told: Dict[str, Any] = {}
    if binary() is None:
        return told
    try:
        listed = ask(folder, ["show", str(cluster)], "the card", CARD_SECONDS)
        cost = listed["cluster"]["row"].get("cost")
        if cost is not None:
            told["currency"] = ask(folder, ["clusters", "--limit", "1"], "the card", CARD_SECONDS)["currency"]
            told["cost"] = cost
        checked = ask(
            folder,
            ["check", str(cluster), "--baseline", "history", "--max-slowdown", "0"],
            "the card",
            CARD_SECONDS,
        )
        told["check"] = next((one for one in checked["measures"] if one["is"] == "working_micros"), None)
    except (BobbinError, KeyError, TypeError):
        # The card is there without.
        pass
    return told
