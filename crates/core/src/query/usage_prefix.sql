-- The prefix with the most compute time of one cluster, and that of all together.
select
    n.text as prefix,
    total(g.compute_seconds) as compute_seconds,
    (select total(a.compute_seconds) from task_group as a where a.cluster_id = :id) as all_seconds
from task_group as g
join name as n on n.id = g.prefix_id
where g.cluster_id = :id
group by g.prefix_id
order by compute_seconds desc, n.text
limit 1
