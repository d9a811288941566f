-- How many computations of a cluster were going on in a time.
select count(*) from computation
where
    cluster_id = :id
    and (:to_micros is null or start_micros < :to_micros)
    and (:from_micros is null or (start_micros is not null and coalesce(stop_micros, :from_micros) >= :from_micros))
