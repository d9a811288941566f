"""Reads the tables of a destination with Dask: the sums of each, as JSON."""

import json
import sys

import dask
import dask.dataframe as dd
from pyarrow import fs

endpoint, root = sys.argv[1:]
store = fs.S3FileSystem(
    access_key="key", secret_key="secret", region="us-east-1", scheme="http", endpoint_override=endpoint.split("//")[1]
)
# In this process: there is little, and nothing to wait for.
dask.config.set(scheduler="synchronous")
clusters, hours, groups = (
    dd.read_parquet("%s/tables/%s" % (root, name), filesystem=store).compute() for name in ("clusters", "hours", "task_groups")
)
assert str(clusters.started_at.dtype).startswith("datetime64"), clusters.dtypes
assert set(clusters.account.astype(str)) == {"data"} and clusters.day.notna().all(), clusters
print(
    json.dumps(
        {
            "clusters": len(clusters),
            "compute_seconds": clusters.compute_seconds.sum(),
            "hours_compute_seconds": hours.compute_seconds.sum(),
            "groups_compute_seconds": groups.compute_seconds.sum(),
            "tasks": int(clusters.tasks_completed.sum()),
            "tasks_of_groups": int(groups.tasks.sum()),
        }
    ),
    flush=True,
)
