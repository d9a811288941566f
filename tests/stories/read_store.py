"""Reads a store with what people have anyway: pandas, and Python's own SQLite."""

import sqlite3
import sys

import pandas

db = sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True)
frame = pandas.read_sql("select scheduler_id, started_micros from cluster", db)
assert list(frame.scheduler_id) == ["Scheduler-one"], frame
assert pandas.to_datetime(frame.started_micros, unit="us").dt.year.min() > 2000, frame
# The index of texts needs a newer SQLite than some Pythons have.
plain = "select name from sqlite_schema where type = 'table' and sql not like 'create virtual%'"
tables = [name for (name,) in db.execute(plain)]
for table in tables:
    db.execute('select count(*) from "%s"' % table).fetchone()
assert len(tables) > 20, tables
