-- Time of a cluster's threads while it was stalled; null while it is to be counted again.
select
    iif(
        exists (select 1 from stalled_due as d where d.cluster_id = :id),
        null,
        (select t.stalled_micros from cluster_total as t where t.cluster_id = :id)
    )
