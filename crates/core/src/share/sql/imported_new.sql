insert into imported (cluster_id, imported_micros, as_of_micros, choice, fields, source_format)
select id, :now_micros, :as_of_micros, :choice, :fields, :source_format from cluster where scheduler_id = :scheduler_id
