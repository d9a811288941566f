"""Clusters that are over before anything is due: one after another, two at once, and one of an asynchronous script."""

import asyncio

from common import inc, say
from distributed import Client, LocalCluster


def small(name, **more):
    return LocalCluster(name=name, n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None, memory_limit="1GiB", **more)


async def awaited(name, tasks):
    async with small(name, asynchronous=True) as cluster, Client(cluster, asynchronous=True) as client:
        await client.gather(client.map(inc, range(tasks)))


def main():
    for tasks in (3, 4):
        with small(f"one of {tasks}") as cluster, Client(cluster) as client:
            client.gather(client.map(inc, range(tasks)))
    with small("one of 5") as first, Client(first) as one, small("one of 6") as second, Client(second) as other:
        one.gather(one.map(inc, range(5)))
        other.gather(other.map(inc, range(6)))
    asyncio.run(awaited("one of 7", 7))
    say(event="over")


if __name__ == "__main__":
    main()
