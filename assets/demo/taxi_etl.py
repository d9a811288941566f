"""A nightly job: taxi trips are read, cleaned, regrouped by zone and summed up; some receipts cannot be parsed."""

import time

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import wait

MONTHS = range(1, 13)


def read_trips(month):
    """One month of trips, as an object store would give it: after a while."""
    time.sleep(0.25)
    random = np.random.default_rng(month)
    size = 60_000
    return pd.DataFrame(
        {
            "zone": random.integers(1, 264, size),
            "distance": random.gamma(2.0, 1.6, size),
            "minutes": random.gamma(3.0, 4.5, size),
            "fare": random.gamma(2.5, 5.0, size) + 2.5,
            "month": month,
        }
    )


def load():
    trips = dd.from_map(read_trips, MONTHS)
    clean = trips[(trips.distance > 0.1) & (trips.minutes > 1)]
    return clean.assign(speed=clean.distance / clean.minutes * 60)


def fares_by_month(trips):
    return trips.groupby("month").fare.agg(["count", "mean", "sum"]).compute()


def busiest_zones(trips):
    by_zone = trips.shuffle("zone", npartitions=8)
    totals = by_zone.groupby("zone").agg({"fare": "sum", "minutes": "mean"})
    return totals.nlargest(10, "fare").compute()


def slow_quantiles(part):
    time.sleep(0.4)
    return part.speed.quantile([0.1, 0.5, 0.9]).to_frame().T


def speed_quantiles(trips):
    return trips.map_partitions(slow_quantiles, meta=pd.DataFrame({0.1: [0.0], 0.5: [0.0], 0.9: [0.0]})).compute()


def parse_receipt(number):
    time.sleep(0.08)
    if number % 9 == 4:
        raise ValueError("receipt %d: the total is not a number: '12,50'" % number)
    return number * 0.5


def parse_receipts(client):
    receipts = client.map(parse_receipt, range(60))
    wait(receipts)
    good = [receipt for receipt in receipts if receipt.status == "finished"]
    return sum(client.gather(good))


@dask.delayed
def write_report(fares, zones, receipts):
    time.sleep(0.5)
    return len(fares) + len(zones) + int(receipts)


def main(client, cluster, repeats=2):
    client.wait_for_workers(2)
    trips = load().persist()
    wait(trips)
    fares = fares_by_month(trips)
    time.sleep(3)
    cluster.scale(4)
    zones = busiest_zones(trips)
    for _ in range(repeats):
        speed_quantiles(trips)
    receipts = parse_receipts(client)
    time.sleep(7)
    write_report(fares, zones, receipts).compute()
    cluster.scale(2)
    time.sleep(3)
