-- A data key, and the cluster that it is for.
select k.wrapped, c.scheduler_id
from data_key as k
join cluster as c on c.id = k.cluster_id
where k.id = :id
