"""Monthly means and anomalies of a temperature field: array work that fills memory and lets it go again."""

import time

import dask.array as da
import numpy as np
from distributed import wait

DAYS, LATITUDES, LONGITUDES = 730, 180, 360


def read_days(block):
    """One block of days, decoded from a file."""
    time.sleep(0.15)
    day = np.arange(block.shape[0])[:, None, None]
    season = 12 * np.sin(2 * np.pi * day / 365)
    return (288 + season + 3 * np.random.default_rng(0).standard_normal(block.shape)).astype("float32")


def open_field():
    shape = (DAYS, LATITUDES, LONGITUDES)
    return da.empty(shape, chunks=(73, 90, 180), dtype="float32").map_blocks(read_days, dtype="float32")


def climatology(field):
    years = field.reshape(2, 365, LATITUDES, LONGITUDES)
    return years.mean(axis=0).persist()


def anomalies(field, normal):
    return field - da.concatenate([normal, normal])


def trend(block):
    time.sleep(0.2)
    days = np.arange(block.shape[0])
    flat = block.reshape(block.shape[0], -1)
    slope = np.polyfit(days, flat[:, ::50], 1)[0]
    return np.full((1,) + block.shape[1:], slope.mean(), dtype="float32")


def strongest_trend(anomaly):
    columns = anomaly.rechunk((DAYS, 45, 60))
    slopes = columns.map_blocks(trend, chunks=(1, 45, 60), dtype="float32")
    return float(abs(slopes).max().compute())


def spread(anomaly):
    return anomaly.std(axis=0).mean().compute()


def main(client, cluster, repeats=2):
    client.wait_for_workers(2)
    field = open_field().persist()
    wait(field)
    normal = climatology(field)
    wait(normal)
    for _ in range(repeats):
        strongest_trend(anomalies(field, normal))
        spread(anomalies(field, normal))
    del field
    time.sleep(5)
    cluster.scale(3)
    again = open_field()
    again.mean(axis=(1, 2)).compute()
    del normal
    time.sleep(2)
