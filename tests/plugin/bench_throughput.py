"""Tasks a second, processor time of the scheduler a task, and how late its event loop is: without a plugin and with.

    bench_throughput.py RECEIVER TOKEN_FILE [--quick|--smoke]

One scheduler runs block after block of small tasks. Before each the plugin is taken off and another is put on, so that nothing
else differs between two blocks: two processes that do the same differ by more than any plugin costs. Each round has a block of
each kind, profiles in every other, in an order of its own, and what is compared are blocks of one round. Prints one JSON line for
each metric and kind, one value a block or a round.
"""

import gc
import random
import sys
import time

import dask
from bench_clusters import VARIANTS, cluster, say, settings, size
from bench_scheduler import become, reports
from distributed import Client

# Rounds, and tasks of a block: 102,000 of each kind, half of that with profiles. A block is long enough for a report of Bobbin's.
SIZES = {"full": (60, 1700), "quick": (8, 1700), "smoke": (2, 1000)}
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


def block(client, variant, name, tasks):
    """What is measured of one block, by metric."""
    client.run_on_scheduler(become, variant=variant)
    collect()
    client.run_on_scheduler(collect)
    client.run(collect)
    # As `register()` sets it in a client: Dask then looks for the code around each call.
    frames = 2 if variant.startswith("bobbin") else 0
    with dask.config.set({"distributed.diagnostics.computations.nframes": frames}):
        told = client.run_on_scheduler(reports)
        process, loop, _ = client.run_on_scheduler(read)
        begun = time.perf_counter()
        work(client, name, tasks)
        taken = time.perf_counter() - begun
        after = client.run_on_scheduler(read)
        told = client.run_on_scheduler(reports) - told
    while not client.run_on_scheduler(is_empty):
        time.sleep(0.01)
    late = [tick * 1e3 for tick in after[2]]
    return {
        "tasks_per_s": tasks / taken,
        "scheduler_cpu_a_task": (after[0] - process) / tasks * 1e6,
        "loop_cpu_a_task": (after[1] - loop) / tasks * 1e6,
        "loop_lag_p50": quantile(late, 0.5),
        "loop_lag_p99": quantile(late, 0.99),
        "reports_a_block": told,
    }


UNITS = {
    "tasks_per_s": "1/s",
    "scheduler_cpu_a_task": "us",
    "loop_cpu_a_task": "us",
    "loop_lag_p50": "ms",
    "loop_lag_p99": "ms",
    "reports_a_block": "1",
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


def main():
    receiver, token_file = sys.argv[1:3]
    rounds, tasks = SIZES[size()]
    shuffled = random.Random(1)
    # Blocks by round, by kind.
    found = {variant: {} for variant in VARIANTS}
    with cluster(settings("bench of turns", receiver, token_file)) as address, Client(address) as client:
        client.wait_for_workers(2, timeout=60)
        for variant in VARIANTS:
            block(client, variant, "warm " + variant, tasks)
        for number in range(rounds):
            order = list(VARIANTS if number % 2 == 0 else VARIANTS[:-1])
            shuffled.shuffle(order)
            for variant in order:
                found[variant][number] = block(client, variant, "%d %s" % (number, variant), tasks)
        # The last one tells all that it has.
        client.run_on_scheduler(become, variant="none")
    for variant, blocks in found.items():
        for metric, unit in UNITS.items():
            if metric != "reports_a_block" or variant.startswith("bobbin"):
                say(metric, unit, variant, [one[metric] for one in blocks.values()])
        for metric, share, name in PAIRED:
            for peer in PEERS[: VARIANTS.index(variant)]:
                pairs = [(one[metric], found[peer][number][metric]) for number, one in blocks.items()]
                say(name + peer, "%", variant, [share(*pair) for pair in pairs])


if __name__ == "__main__":
    main()
