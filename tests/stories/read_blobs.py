"""Reads the tables of a destination in a container of an Azure Blob server: the sums of each, as JSON."""

import io
import json
import sys
import xml.etree.ElementTree as xml

from blobs import ask
from pyarrow import parquet

endpoint, root = sys.argv[1:]
container, folder = root.split("/", 1)


def table(name):
    prefix = "%s/tables/%s/account=data/" % (folder, name)
    listed = xml.fromstring(ask(endpoint, "GET", "/" + container, restype="container", comp="list", prefix=prefix))
    found = [ask(endpoint, "GET", "/%s/%s" % (container, blob.text)) for blob in listed.iter("Name")]
    # Threads of Arrow that still end when the process does may bring it down.
    files = [parquet.ParquetFile(io.BytesIO(one), pre_buffer=False) for one in found]
    return [row for file in files for row in file.read(use_threads=False).to_pylist()]


def total(rows, column):
    return sum(row[column] or 0 for row in rows)


clusters, hours, groups = table("clusters"), table("hours"), table("task_groups")
print(
    json.dumps(
        {
            "clusters": len(clusters),
            "compute_seconds": total(clusters, "compute_seconds"),
            "hours_compute_seconds": total(hours, "compute_seconds"),
            "groups_compute_seconds": total(groups, "compute_seconds"),
            "tasks": total(clusters, "tasks_completed"),
            "tasks_of_groups": total(groups, "tasks"),
        }
    ),
    flush=True,
)
