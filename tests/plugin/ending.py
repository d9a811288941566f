"""A script with a LocalCluster that ends in the way that its first word says; the second is how long it works. One that dies at once
does so when its work is in the spool.

It prints what the scheduler had at its end, in JSON lines.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

import bobbin
from distributed import Client, LocalCluster, wait
from reports import until


def canary_in_code(number):
    if number == 3:
        raise ValueError("canary-in-message")
    return number


def report(client):
    run = client.cluster.scheduler.plugins["bobbin"]._run
    print(json.dumps({"instance": run.clock.instance_id, "well": run.well, "erred": run.failures.erred}), flush=True)


def spooled(client):
    """Whether what was done is in the spool: that tasks ended, and that some failed."""
    # That one imports this one.
    from spools import spooled as read

    run = client.cluster.scheduler.plugins["bobbin"]._run
    try:
        rows = [row for _, batch in read(Path(os.environ["BOBBIN_DATA_DIR"])) for row in batch]
    except FileNotFoundError:
        # Another file took its place meanwhile.
        return False
    completed = [row["totals"]["tasks_completed"] for row in rows if row["kind"] == "sample"]
    failed = [row["count"] for row in rows if row["kind"] == "exception"]
    return run.well + run.failures.erred in completed and run.failures.erred in failed


def main(how, seconds):
    cluster = LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0")
    client = Client(cluster)
    bobbin.register(client)
    wait(client.map(canary_in_code, range(10)))
    client.log_event("all", {"text": "canary-in-event"})
    time.sleep(seconds)
    if how in ("terminated", "killed"):
        until(lambda: spooled(client), 40)
    report(client)
    if how == "with":
        start = time.monotonic()
        with cluster, client:
            pass
        print(json.dumps({"closed_seconds": time.monotonic() - start}), flush=True)
    elif how == "exception":
        raise RuntimeError("the script fails")
    elif how == "sys.exit":
        sys.exit(3)
    elif how == "interrupted":
        # A shell without job control starts what is in its background deaf to it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    elif how in ("terminated", "killed"):
        os.kill(os.getpid(), signal.SIGTERM if how == "terminated" else signal.SIGKILL)
        time.sleep(60)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
