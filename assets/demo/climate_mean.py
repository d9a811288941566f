"""The wasteful story: a temperature field in chunks that are far too small, on workers that are too many for what is done
and have too little memory for what is kept. Given care, the same job is a healthy one."""

import time

import dask.array as da
import numpy as np
from distributed import span, wait

WORKERS, THREADS, MEMORY = 4, 4, "700MB"
# Somebody left little room for what is kept in memory: the rest goes to the disk, and workers are not killed for it.
SETTINGS = {
    "DASK_DISTRIBUTED__WORKER__MEMORY__TARGET": "0.2",
    "DASK_DISTRIBUTED__WORKER__MEMORY__SPILL": "0.5",
    "DASK_DISTRIBUTED__WORKER__MEMORY__PAUSE": "false",
    "DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE": "false",
}
USER, TEAM = "lin", "climate"
DAYS, LATITUDES, LONGITUDES = 1460, 180, 360


def decode(block):
    day = np.arange(block.shape[0])[:, None, None]
    season = 12 * np.sin(2 * np.pi * day / 365)
    return 288 + season + 3 * np.random.default_rng(0).standard_normal(block.shape)


def read_days(block):
    """One block of days, as a file server would give it."""
    time.sleep(0.1)
    return decode(block)


def open_field(days):
    return da.empty((days, LATITUDES, LONGITUDES), chunks=(73, 90, 180)).map_blocks(read_days, dtype="float64")


def anomaly(block):
    return block - block.mean(axis=0)


def slope(block):
    """The trend of each column of a block, in kelvin a day."""
    days = np.arange(block.shape[0])
    flat = block.reshape(block.shape[0], -1)
    return np.polyfit(days, flat, 1)[0].reshape((1, *block.shape[1:]))


def trend_of_small_chunks(field):
    small = field.rechunk((20, 30, 40))
    return float(abs(small.map_blocks(anomaly, dtype="float64")).mean().compute())


def trend_of_columns(field):
    columns = field.rechunk((field.shape[0], 45, 60))
    return float(abs(columns.map_blocks(slope, dtype="float64", chunks=(1, 45, 60))).max().compute())


def main(client, size):
    """`size` 0 is the job given care: half of the field, in chunks as they are in the files."""
    client.wait_for_workers(WORKERS)
    with span("open"):
        field = open_field(DAYS if size else DAYS // 4).persist()
        wait(field)
    if not size:
        with span("means"):
            for _ in range(6):
                open_field(DAYS // 2).mean(axis=0).compute()
        return
    with span("trend"):
        for _ in range(size):
            trend_of_small_chunks(field)
    client.log_event("progress", {"step": "trend", "chunks": "20 x 30 x 40"})
    # Somebody looks at the picture, and the cluster waits.
    time.sleep(30)
    with span("columns"):
        trend_of_columns(field)
    time.sleep(30)
