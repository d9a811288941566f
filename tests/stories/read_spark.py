"""Reads the tables of a destination that is a folder with Spark, on this machine alone: the sums of each, as JSON."""

import json
import os
import sys

# The name of a machine may stand for no address.
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
os.environ["SPARK_LOCAL_DIRS"] = os.environ["TMPDIR"]

from pyspark.sql import SparkSession  # noqa: E402

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()


def table(name):
    return spark.read.parquet("%s/tables/%s" % (sys.argv[1], name))


def total(frame, column):
    return frame.agg({column: "sum"}).first()[0]


clusters, hours, groups = table("clusters"), table("hours"), table("task_groups")
assert dict(clusters.dtypes)["started_at"] == "timestamp", clusters.dtypes
assert clusters.filter("day is null").count() == 0, clusters.dtypes
print(
    json.dumps(
        {
            "clusters": clusters.count(),
            "accounts": [row.account for row in clusters.select("account").distinct().collect()],
            "compute_seconds": total(clusters, "compute_seconds"),
            "hours_compute_seconds": total(hours, "compute_seconds"),
            "groups_compute_seconds": total(groups, "compute_seconds"),
            "tasks": total(clusters, "tasks_completed"),
            "tasks_of_groups": total(groups, "tasks"),
        }
    ),
    flush=True,
)
spark.stop()
