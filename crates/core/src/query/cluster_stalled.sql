-- Time of a cluster's threads while it was stalled; null while it is to be counted again.
select
    iif(
        exists (select 1 from stalled_due as d where d.cluster_id = :id),
        null,
        (select cast(min(total(h.stalled_micros), 9.0e18) as integer) from stalled_hour as h where h.cluster_id = :id)
    )
