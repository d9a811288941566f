-- The groups of computations, each with its computation's place in the list of keys.
select
    wanted.key as place,
    g.group_id,
    n.text as prefix,
    g.dependencies,
    g.result_bytes
from json_each(:keys) as wanted
cross join computation as p on p.cluster_id = wanted.value ->> 0 and p.computation_id = wanted.value ->> 1
cross join json_each(p.groups) as member
cross join task_group as g on g.cluster_id = p.cluster_id and g.group_id = member.value
join name as n on n.id = g.prefix_id
order by wanted.key, g.group_id
