insert into ingest_key (digest, created_micros) values (:digest, :now_micros)
