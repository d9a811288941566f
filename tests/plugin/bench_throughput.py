"""Tasks a second, processor time of the scheduler a task, and how late its event loop is: without a plugin and with.

    bench_throughput.py RECEIVER TOKEN_FILE [--quick|--smoke]

One scheduler runs small tasks under one kind of plugin after the other: two processes that do the same differ by more than any
plugin costs. What a machine can do wanders within seconds, so turns are short: a third of a second each, in a shuffled order, and
32 turns of each kind make a round, long enough for a report. A plugin that waits for its turn keeps all that it knows, and its clock stands. There can be
one Bobbin in a scheduler: the one with profiles has a pass of its own, in which its part on the workers stays where it is. What is
compared are the kinds of one round. Prints one JSON line for each metric and kind, one value a round.
"""

import gc
import random
import sys
import time

import dask
from bench_clusters import cluster, say, settings, size
from bench_scheduler import become, reports, rest
from distributed import Client

# No plugin, one that does nothing, and Bobbin as it comes; and Bobbin with everything that it collects.
PASSES = (("none", "empty", "bobbin"), ("none", "bobbin, profiles"))
# Rounds, turns of each kind in a round, and tasks of a turn: 102,400 tasks of each kind.
SIZES = {"full": (16, 32, 200), "quick": (3, 32, 200), "smoke": (2, 2, 200)}
# Those that a kind is compared with.
PEERS = ("none", "empty")


def increment(x):
    return x + 1


def double(x):
    return 2 * x


def read(dask_scheduler):
    """Processor seconds of the scheduler's process and of its event loop so far, and how late the ticks were since."""
    ticker = dask_scheduler.bench_ticker
    late, ticker.late = ticker.late, []
    return time.process_time(), time.thread_time(), late


def is_empty(dask_scheduler):
    return not dask_scheduler.tasks


def work(client, name, tasks):
    """Half of the tasks need one of the other half each, and one needs them all."""
    half = tasks // 2
    graph = {("increment-" + name, x): (increment, x) for x in range(half)}
    graph.update({("double-" + name, x): (double, ("increment-" + name, x)) for x in range(half)})
    graph["sum-" + name] = (sum, [("double-" + name, x) for x in range(half)])
    assert client.get(graph, "sum-" + name) == half * (half - 1) + 2 * half


def collect():
    """Whatever one block left is not collected in another."""
    gc.collect()


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def clear(client):
    collect()
    client.run_on_scheduler(collect)
    client.run(collect)


def settle(client):
    while not client.run_on_scheduler(is_empty):
        time.sleep(0.01)


def begin(client, name, tasks):
    """A graph that is not counted: a collection leaves what a scheduler does all the time as cold as what it never did."""
    work(client, "begun " + name, tasks)
    settle(client)


def turn(client, variant, name, tasks):
    """What is measured of one turn of a kind that is on: seconds, and how late each tick was."""
    clear(client)
    # As `register()` sets it in a client: Dask then looks for the code around each call.
    frames = 2 if variant.startswith("bobbin") else 0
    with dask.config.set({"distributed.diagnostics.computations.nframes": frames}):
        begin(client, name, tasks)
        told = client.run_on_scheduler(reports)
        process, loop, _ = client.run_on_scheduler(read)
        begun = time.perf_counter()
        work(client, name, tasks)
        taken = time.perf_counter() - begun
        after = client.run_on_scheduler(read)
        told = client.run_on_scheduler(reports) - told
    settle(client)
    return {"taken": taken, "process": after[0] - process, "loop": after[1] - loop, "late": after[2], "told": told}


def together(turns, tasks):
    """The figures of one round, by metric."""
    tasks *= len(turns)
    late = [tick * 1e3 for one in turns for tick in one["late"]]
    return {
        "tasks_per_s": tasks / sum(one["taken"] for one in turns),
        "scheduler_cpu_a_task": sum(one["process"] for one in turns) / tasks * 1e6,
        "loop_cpu_a_task": sum(one["loop"] for one in turns) / tasks * 1e6,
        "loop_lag_p50": quantile(late, 0.5),
        "loop_lag_p99": quantile(late, 0.99),
        "reports_a_round": sum(one["told"] for one in turns),
    }


UNITS = {
    "tasks_per_s": "1/s",
    "scheduler_cpu_a_task": "us",
    "loop_cpu_a_task": "us",
    "loop_lag_p50": "ms",
    "loop_lag_p99": "ms",
    "reports_a_round": "1",
}


def loss(one, other):
    return 100 * (1 - one / other)


def more(one, other):
    return 100 * (one / other - 1)


# The metric that is compared by rounds, what of it, and how that is called.
PAIRED = (
    ("tasks_per_s", loss, "throughput_loss_to_"),
    ("scheduler_cpu_a_task", more, "scheduler_cpu_over_"),
    ("loop_lag_p99", more, "loop_lag_p99_over_"),
)


def rounds(client, kinds, number, turns, tasks):
    """The figures of each round, by kind."""
    shuffled = random.Random(1)
    found = {variant: [] for variant in kinds}
    for variant in kinds:
        client.run_on_scheduler(become, variant=variant)
        turn(client, variant, "warm " + variant, tasks * turns)
    for each in range(number):
        order = list(kinds) * turns
        shuffled.shuffle(order)
        taken = {variant: [] for variant in kinds}
        for place, variant in enumerate(order):
            client.run_on_scheduler(rest, variant=variant)
            taken[variant].append(turn(client, variant, "%d %d %s" % (each, place, variant), tasks))
        for variant, all_turns in taken.items():
            found[variant].append(together(all_turns, tasks))
    # The last one tells all that it has.
    client.run_on_scheduler(become, variant="none")
    return found


def report(found, base):
    """Says what was found of those kinds that are not the `base` of another pass."""
    for variant, figures in found.items():
        if variant in base:
            continue
        for metric, unit in UNITS.items():
            if metric != "reports_a_round" or variant.startswith("bobbin"):
                say(metric, unit, variant, [one[metric] for one in figures])
        for metric, share, name in PAIRED:
            for peer in [peer for peer in PEERS if peer in found and peer != variant and variant != "none"]:
                say(name + peer, "%", variant, [share(one[metric], other[metric]) for one, other in zip(figures, found[peer])])


def main():
    receiver, token_file = sys.argv[1:3]
    said = ()
    with cluster(settings("bench of turns", receiver, token_file)) as address, Client(address) as client:
        client.wait_for_workers(2, timeout=60)
        for kinds in PASSES:
            report(rounds(client, kinds, *SIZES[size()]), said)
            said += kinds


if __name__ == "__main__":
    main()
