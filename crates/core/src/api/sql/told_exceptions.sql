-- The types of a cluster's exceptions.
select distinct n.text
from exception as e
join name as n on n.id = e.type_id
where e.cluster_id = :cluster_id
limit 100000
