"""A cluster that does what it is told on stdin: `cluster.py local`, or `cluster.py SCHEDULER_FILE`.

It does not know of Bobbin unless told to register, and ends like most scripts: without closing anything.
"""

import sys

from common import broken, double, inc, passing, say, settled, words
from distributed import Client, LocalCluster, wait


def work(client, start):
    """Twenty tasks and what depends on them; the results stay."""
    numbers = client.map(inc, range(start, start + 20))
    doubles = client.map(double, numbers)
    total = client.submit(sum, numbers)
    wait([total, *doubles])
    return [*numbers, *doubles, total]


def collections():
    """What people really run: chunks, data that moves, groups that depend on each other."""
    import dask.array as da

    x = da.random.random((400, 400), chunks=(100, 100)).persist()
    total = (x + x.T).sum(axis=0).persist()
    wait([x, total])
    (x @ x.T).mean().compute()
    return [x, total]


def table():
    """A shuffle, in the way of the newest Dask."""
    import dask.dataframe as dd
    import pandas as pd

    frame = dd.from_pandas(pd.DataFrame({"a": range(2000), "b": [n % 7 for n in range(2000)]}), npartitions=6)
    shuffled = frame.shuffle("b").persist()
    wait(shuffled)
    frame.groupby("b").a.mean().compute()
    return [shuffled]


def main():
    where = sys.argv[1]
    if where == "local":
        cluster = LocalCluster(n_workers=2, threads_per_worker=2, processes=False, dashboard_address=None, memory_limit="4GiB")
        client = Client(cluster)
    else:
        client = Client(scheduler_file=where)
    workers = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    client.wait_for_workers(workers)
    say(event="ready", scheduler_id=settled(client)["scheduler_id"])
    kept = []
    for word in words():
        answer = {}
        if word == "work":
            kept += work(client, len(kept))
        elif word == "pass":
            client.gather(client.map(passing, range(5)))
        elif word == "collections":
            kept += collections()
        elif word == "table":
            kept += table()
        elif word == "break":
            kept.append(client.submit(broken, len(kept)))
            wait(kept[-1])
        elif word == "numbers":
            answer = settled(client)
        elif word == "register":
            import bobbin
            bobbin.register()
        elif word == "coiled":
            import coiled.analytics
            coiled.analytics.register()
        elif word == "two workers":
            client.wait_for_workers(2)
        elif word == "stop":
            client.shutdown()
        elif word == "end":
            break
        say(did=word, **answer)


if __name__ == "__main__":
    main()
