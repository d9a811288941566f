-- The computation of a cluster with the most tasks.
select p.computation_id, cast(min(total(s.value), 9007199254740991) as integer) as tasks
from computation as p, json_each(p.states) as s
where p.cluster_id = :id
group by p.computation_id
order by tasks desc, p.computation_id
limit 1
