-- How often each type failed in each prefix.
select n.text as type, p.text as prefix, cast(min(total(e.count), 9007199254740991) as integer) as count
from exception as e
join name as n on n.id = e.type_id
left join task_group as g on g.cluster_id = e.cluster_id and g.group_id = e.group_id
left join name as p on p.id = g.prefix_id
where e.cluster_id = :id
group by n.text, p.text
order by n.text, p.text
limit 1000
