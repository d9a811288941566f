-- What one group needs, what needs it, the computations it belongs to and what its tasks raised, as JSON.
select
    g.name,
    n.text as prefix,
    g.types,
    g.timed_tasks,
    g.mean_seconds,
    g.std_seconds,
    g.p50_seconds,
    g.p95_seconds,
    g.max_seconds,
    g.retried,
    (
        select json_group_array(json_object('group_id', group_id, 'name', name))
        from (
            select d.value as group_id, coalesce(o.name, '') as name
            from json_each(g.dependencies) as d
            left join task_group as o on o.cluster_id = :id and o.group_id = d.value
            where d.value <> g.group_id
            order by name, group_id limit 200
        )
    ) as needs,
    (
        select json_group_array(json_object('group_id', group_id, 'name', name))
        from (
            select o.group_id, o.name
            from task_group as o
            where o.cluster_id = :id and o.group_id <> :group_id
                and exists (select 1 from json_each(o.dependencies) as d where d.value = :group_id)
            order by o.name, o.group_id limit 200
        )
    ) as needed_by,
    (
        select json_group_array(json_object('computation_id', computation_id, 'start_micros', start_micros))
        from (
            select c.computation_id, c.start_micros
            from computation as c
            where c.cluster_id = :id
                and exists (select 1 from json_each(c.groups) as m where m.value = :group_id)
            order by c.at_micros desc, c.computation_id limit 20
        )
    ) as computations,
    (
        select json_group_array(json_object('exception_id', exception_id, 'exception_type', exception_type, 'count', times))
        from (
            select e.exception_id, t.text as exception_type, e.count as times
            from exception as e
            join name as t on t.id = e.type_id
            where e.cluster_id = :id and e.group_id = :group_id
            order by e.count desc, e.exception_id limit 20
        )
    ) as exceptions
from task_group as g
join name as n on n.id = g.prefix_id
where g.cluster_id = :id and g.group_id = :group_id
