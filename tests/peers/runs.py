"""What a peer records as a whole run, and how long it takes: `PEER_runs.py ORDER`, an object of JSON.

A run is what a small cluster is to Bobbin that starts, reports a few times and ends. It has a name, a user, tags and
settings; each report has a value of five metrics, and the end has fifteen sums. Runs are recorded one after the other, then
listed; then more are recorded by several threads at once. The first run makes and imports what the others use, and is not
measured. Prints a line of JSON for each metric.
"""

import concurrent.futures
import contextlib
import json
import os
import sys
import time

TAGS = {"host": "laptop", "project": "weather", "team": "climate"}
SETTINGS = {"workers": 16, "threads": 64, "python": "3.11.7"}
SERIES = ("memory_used", "tasks_processing", "tasks_completed", "compute", "transfer")
SUMS = ("cluster", "thread", "compute", "transfer", "disk", "deserialize", "idle", "tasks", "erred", "bytes", "spilled")
SUMS += ("workers_peak", "memory_peak", "lag_peak", "efficiency")


class Run:
    """The run of this number."""

    def __init__(self, number, users):
        self.number = number
        self.name = f"nightly-{number}"
        self.user = f"user-{number % users}"

    def report(self, beat):
        return {f"now_{name}": self.number + 611.25 * (beat + place) for place, name in enumerate(SERIES)}

    def sums(self):
        return {name: self.number + 611.25 * place for place, name in enumerate(SUMS)}


class Peer:
    """Records runs of so many `beats` into a folder of its own, and lists them: what each peer does in its own way."""

    def __init__(self, folder, beats):
        self.folder, self.beats = folder, beats

    def record(self, run):
        raise NotImplementedError

    def recorded(self):
        """What is to be done once before lists have all runs."""

    def newest(self, most):
        """Names, each read with its user."""
        raise NotImplementedError

    def of_user(self, user):
        raise NotImplementedError


def measure(variant, make):
    """Prints what the peer that `make` gives comes to. What it says itself is no line of that."""
    order = json.loads(sys.argv[1])
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
        found = measured(make(order["folder"], order["beats"]), order)
    for metric, unit, value in found:
        print(json.dumps({"metric": metric, "unit": unit, "variant": variant, "values": [value]}))


def measured(peer, order):
    runs, tenth, users = order["runs"], order["tenth"], order["users"]

    def record(numbers):
        begun = time.perf_counter()
        for number in numbers:
            peer.record(Run(number, users))
        return len(numbers) / (time.perf_counter() - begun)

    record(range(1))
    held, cpu, begun = held_bytes(order["folder"]), cpu_seconds(), time.perf_counter()
    first = record(range(1, tenth))
    record(range(tenth, runs - tenth))
    last = record(range(runs - tenth, runs))
    took, cpu, held = time.perf_counter() - begun, cpu_seconds() - cpu, held_bytes(order["folder"]) - held
    each = runs - 1

    peer.recorded()
    names = [Run(number, users).name for number in range(runs)]
    by_user = [name for number, name in enumerate(names) if number % users == order["user"]]
    # What a first question prepares is no part of the list.
    listed(lambda: peer.newest(2), names[-2:])
    newest = listed(lambda: peer.newest(order["newest"]), names[-order["newest"] :])
    of_user = listed(lambda: peer.of_user(f"user-{order['user']}"), by_user)

    with concurrent.futures.ThreadPoolExecutor(order["senders"]) as threads:
        more = range(runs, runs + order["at_once"])
        begun = time.perf_counter()
        list(threads.map(record, [more[sender :: order["senders"]] for sender in range(order["senders"])]))
        at_once = len(more) / (time.perf_counter() - begun)

    return [
        ("runs_per_s", "1/s", each / took),
        ("first_runs_per_s", "1/s", first),
        ("last_runs_per_s", "1/s", last),
        ("at_once_runs_per_s", "1/s", at_once),
        ("cpu_a_run", "ms", cpu / each * 1e3),
        ("bytes_a_run", "B", held / each),
        ("newest_listed", "ms", newest),
        ("user_listed", "ms", of_user),
    ]


def listed(ask, names):
    """Milliseconds until these names are listed, and no others."""
    begun = time.perf_counter()
    found = ask()
    took = time.perf_counter() - begun
    if sorted(found) != sorted(names):
        raise SystemExit(f"listed {found}, not {names}")
    return took * 1e3


def cpu_seconds():
    """Of this process, and of those that it started and that ended."""
    return sum(os.times()[:4])


def held_bytes(folder):
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)
