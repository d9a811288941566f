-- The exception of a cluster that was seen first.
select e.exception_id, n.text as exception_type, p.text as prefix
from exception as e
join name as n on n.id = e.type_id
left join task_group as g on g.cluster_id = e.cluster_id and g.group_id = e.group_id
left join name as p on p.id = g.prefix_id
where e.cluster_id = :id
order by e.first_seen_micros, e.exception_id
limit 1
