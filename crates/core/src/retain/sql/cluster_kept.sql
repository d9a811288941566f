-- What stays of a cluster that is told anew: its number, and what a reader put on it by hand.
select scheduler_id, first_at_micros, given_name, note, pinned_micros, own_tags from cluster where id = :cluster_id
