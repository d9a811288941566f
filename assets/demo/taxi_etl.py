"""The healthy story, a nightly job: trips of taxis are read, cleaned, regrouped by zone and summed up, on four busy workers."""

import time

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import span, wait

WORKERS, THREADS, MEMORY = 4, 2, "2GB"
SETTINGS = {}
USER, TEAM = "ada", "mobility"
ZONES = 263


def download(month):
    """The bytes of one file, as an object store would give them: after a while."""
    time.sleep(0.35 + 0.02 * (month % 7))
    return np.random.default_rng(month)


def parse_trips(random, size):
    return pd.DataFrame(
        {
            "zone": random.integers(1, ZONES + 1, size),
            "distance": random.gamma(2.0, 1.6, size),
            "minutes": random.gamma(3.0, 4.5, size),
            "fare": random.gamma(2.5, 5.0, size) + 2.5,
        }
    )


def read_trips(month):
    trips = parse_trips(download(month), 30_000)
    return trips.assign(month=month)


def load(months):
    trips = dd.from_map(read_trips, range(1, months + 1))
    clean = trips[(trips.distance > 0.1) & (trips.minutes > 1)]
    return clean.assign(speed=clean.distance / clean.minutes * 60)


def fares_by_month(trips):
    return trips.groupby("month").fare.agg(["count", "mean", "sum"]).compute()


def busiest_zones(trips):
    by_zone = trips.shuffle("zone", npartitions=16)
    totals = by_zone.groupby("zone").agg({"fare": "sum", "minutes": "mean"})
    return totals.nlargest(10, "fare").compute()


def bootstrap(values, draws):
    random = np.random.default_rng(len(values))
    return np.array([np.quantile(random.choice(values, 4_000), [0.1, 0.5, 0.9]) for _ in range(draws)])


def route_distances(part):
    """Asks the service of the road network, which takes its time."""
    time.sleep(0.8)
    return part.distance.to_numpy() * 1.3


def speed_quantiles(part):
    speeds = route_distances(part) / part.minutes.to_numpy() * 60
    low, middle, high = bootstrap(speeds, 60).mean(axis=0)
    return pd.DataFrame({"low": [low], "middle": [middle], "high": [high]})


def speeds(trips):
    meta = pd.DataFrame({"low": [0.0], "middle": [0.0], "high": [0.0]})
    return trips.map_partitions(speed_quantiles, meta=meta).compute()


@dask.delayed
def write_zone(zone, fares, speeds):
    time.sleep(0.4)
    return zone, len(fares) + len(speeds)


def main(client, size):
    client.wait_for_workers(WORKERS)
    with span("load"):
        trips = load(24 * size).persist()
        wait(trips)
    client.log_event("progress", {"step": "load", "months": 24 * size})
    for night in range(size):
        with span("summarise"):
            fares = fares_by_month(trips)
            zones = busiest_zones(trips)
        with span("speeds"):
            measured = speeds(trips)
        client.log_event("progress", {"step": "speeds", "pass": night + 1, "middle": float(measured.middle.mean())})
    with span("write"):
        dask.compute(*[write_zone(zone, fares, measured) for zone in list(zones.index) * 2 * size])
