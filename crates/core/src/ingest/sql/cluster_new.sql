-- A cluster as its first batch shows it.
insert into cluster (scheduler_id, first_at_micros) values (:scheduler_id, :at_micros)
