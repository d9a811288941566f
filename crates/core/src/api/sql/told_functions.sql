-- The functions of a cluster.
select n.text
from cluster_prefix as x
join name as n on n.id = x.prefix_id
where x.cluster_id = :cluster_id
limit 100000
