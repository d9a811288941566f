-- How many events of a cluster there are in a time.
select count(*) from event
where
    cluster_id = :id
    and (at_micros >= :from_micros or :from_micros is null)
    and (at_micros < :to_micros or :to_micros is null)
