-- Keys that were handed out.
select count(*) as keys, max(created_micros) as newest_micros from ingest_key
