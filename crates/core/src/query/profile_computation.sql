-- When a computation ran, and the prefixes of its task groups.
select
    k.start_micros,
    k.stop_micros,
    (
        select json_group_array(distinct n.text)
        from json_each(k.groups) as wanted
        cross join task_group as g on g.cluster_id = k.cluster_id and g.group_id = wanted.value
        join name as n on n.id = g.prefix_id
    ) as prefixes
from computation as k
where k.cluster_id = :id and k.computation_id = :computation_id
