-- The numbers of a cluster that has said nothing yet.
insert into cluster_total (cluster_id, last_heard_micros, silent_after_micros, interval_micros)
values (:cluster_id, :heard_micros, :heard_micros, :interval_micros)
