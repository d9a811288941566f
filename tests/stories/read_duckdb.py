"""Reads the tables of a destination that is a folder with DuckDB: clusters and their seconds by account, as JSON."""

import json
import sys

import duckdb

pattern = sys.argv[1] + "/tables/clusters/*/*/*.parquet"
sql = "select account, count(*), sum(compute_seconds) from read_parquet(?, hive_partitioning = true) group by account"
print(json.dumps(duckdb.execute(sql, [pattern]).fetchall()), flush=True)
