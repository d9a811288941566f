-- The time that each of some clusters computed for each of some prefixes; none named is all together.
select g.cluster_id, iif(:prefixes is null, null, n.text) as prefix, total(g.compute_seconds) as compute_seconds
from json_each(:ids) as wanted
cross join task_group as g on g.cluster_id = wanted.value
join name as n on n.id = g.prefix_id
where :prefixes is null or n.text in (select value from json_each(:prefixes))
group by g.cluster_id, 2
order by g.cluster_id, 2
