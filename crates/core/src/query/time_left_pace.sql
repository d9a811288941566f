-- How many threads a cluster has, and how many of them computed on average over its last samples; null before the second.
select
    t.threads,
    (
        select cast(max(p.compute_micros) - min(p.compute_micros) as real) / nullif(max(p.at_micros) - min(p.at_micros), 0)
        from (
            select s.at_micros, s.compute_micros
            from sample as s
            where s.instance_id = t.instance_id
            order by s.seq desc
            limit :samples
        ) as p
    ) as computing
from cluster_total as t
where t.cluster_id = :id
