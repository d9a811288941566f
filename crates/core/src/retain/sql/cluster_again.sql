-- The same cluster, of which nothing is told yet.
insert into cluster (id, scheduler_id, first_at_micros, given_name, note, pinned_micros, own_tags)
values (:cluster_id, :scheduler_id, :first_at_micros, :given_name, :note, :pinned_micros, :own_tags)
