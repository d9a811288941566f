"""How long a report holds the event loop: 1,000 groups that all changed, and profiles of deep, wide code.

    bench_build.py RECEIVER TOKEN_FILE [--quick|--smoke]

Every piece of the loop's time that is Bobbin's is timed from outside, by `bench_scheduler.py`. Prints one JSON line a figure,
one value for each report: the longest piece, and all pieces together.
"""

import sys
import time

from bench_clusters import cluster, say, settings, size
from bench_scheduler import become, has_reported, reports
from distributed import Client, wait

GROUPS = 1000
# Reports come once a second, or later where that would take too much of the loop; and so do looks at profiles.
PATIENCE_SECONDS = 120.0
PROFILE_SECONDS = 4.0
# Functions that call each other in every order, to this depth: more distinct stacks than real code has.
FUNCTIONS, DEPTH = 200, 60

DEEP = """
import random, time

def spin():
    end = time.perf_counter() + 0.0005
    while time.perf_counter() < end:
        pass

%s

STEPS = [%s]

def walk(seed):
    shuffled = random.Random(seed)
    for _ in range(100):
        shuffled.choice(STEPS)(shuffled, %d)
    return seed
"""
STEP = "def step_%d(shuffled, depth):\n    return shuffled.choice(STEPS)(shuffled, depth - 1) if depth else spin()\n"


def deep(seed):
    """A task of deep recursion; its source comes along, since the workers have no such file."""
    import sys
    import types

    module = sys.modules.get("deep")
    if module is None:
        module = types.ModuleType("deep")
        steps = "\n".join(STEP % number for number in range(FUNCTIONS))
        names = ", ".join("step_%d" % number for number in range(FUNCTIONS))
        exec(compile(DEEP % (steps, names, DEPTH), "deep.py", "exec"), module.__dict__)
        sys.modules["deep"] = module
    return module.walk(seed)


def one(x):
    return x


def take(dask_scheduler):
    pieces = list(dask_scheduler.bench_pieces)
    dask_scheduler.bench_pieces.clear()
    return pieces


def settle(client):
    """Waits for reports of what is there now."""
    before, end = client.run_on_scheduler(reports), time.monotonic() + PATIENCE_SECONDS
    while not client.run_on_scheduler(has_reported, before=before):
        if time.monotonic() > end:
            raise TimeoutError("the plugin does not report")
        time.sleep(0.05)


def report(variant, name, windows):
    """Milliseconds of each window: wall and processor time of the longest piece, processor time of all."""
    say(name + "_longest", "ms", variant, [max(wall for wall, _ in pieces) * 1e3 for pieces in windows])
    say(name + "_longest_cpu", "ms", variant, [max(cpu for _, cpu in pieces) * 1e3 for pieces in windows])
    say(name + "_whole_cpu", "ms", variant, [sum(cpu for _, cpu in pieces) * 1e3 for pieces in windows])


def groups(client, repeats):
    windows, kept = [], []
    for number in range(repeats + 1):
        keys = [("group-%d" % group, number) for group in range(GROUPS)]
        kept += client.map(one, range(GROUPS), key=keys)
        wait(kept)
        settle(client)
        pieces = client.run_on_scheduler(take)
        # At first all groups are new: that is another figure.
        if number:
            windows.append(pieces)
    report("bobbin", "beat_%d_groups" % GROUPS, windows)


def profiles(client, repeats):
    windows, seed = [], 0
    client.run_on_scheduler(take)
    for _ in range(repeats):
        end = time.monotonic() + PROFILE_SECONDS
        while time.monotonic() < end:
            wait(client.map(deep, range(seed, seed + 8)))
            seed += 8
        settle(client)
        windows.append(client.run_on_scheduler(take))
    report("bobbin, profiles", "beat_deep_profiles", windows)


def main():
    receiver, token_file = sys.argv[1:3]
    repeats = {"full": 10, "quick": 3, "smoke": 1}[size()]
    environment = dict(settings("bench of reports", receiver, token_file), BENCH_PIECES="1")
    for variant, measure in (("bobbin", groups), ("bobbin, profiles", profiles)):
        with cluster(environment) as address, Client(address) as client:
            client.wait_for_workers(2, timeout=60)
            client.run_on_scheduler(become, variant=variant)
            measure(client, repeats)


if __name__ == "__main__":
    main()
