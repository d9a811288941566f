delete from ingest_key
