select e.id, e.origin, n.text, e.group_name
from exception as e
join name as n on n.id = e.type_id
where e.cluster_id = :cluster_id
