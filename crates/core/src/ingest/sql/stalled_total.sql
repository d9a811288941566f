-- The sum of a cluster's stalled hours, by which lists are sorted.
update cluster_total
set stalled_micros = (
    select cast(min(total(h.stalled_micros), 9.0e18) as integer)
    from stalled_hour as h
    where h.cluster_id = :cluster_id
)
where cluster_id = :cluster_id
