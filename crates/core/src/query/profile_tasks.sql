-- How many tasks of clusters, or of some prefixes there, have ended.
select
    cast(total(
        coalesce(json_extract(g.states, '$.memory'), 0) + coalesce(json_extract(g.states, '$.released'), 0)
        + coalesce(json_extract(g.states, '$.forgotten'), 0) + coalesce(json_extract(g.states, '$.erred'), 0)
    ) as integer) as tasks
from json_each(:ids) as wanted
cross join task_group as g on g.cluster_id = wanted.value
join name as n on n.id = g.prefix_id
where :prefixes is null or n.text in (select value from json_each(:prefixes))
