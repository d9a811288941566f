select digest from ingest_key order by digest
