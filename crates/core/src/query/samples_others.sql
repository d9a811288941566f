-- Whether any cluster reported that is not told from a recording.
select exists (
    select 1 from cluster_total as t
    join cluster as c on c.id = t.cluster_id
    where c.sample = 0
)
