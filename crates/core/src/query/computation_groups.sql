-- The groups of each computation of a cluster, newest first.
select computation_id, groups
from computation
where cluster_id = :id
order by start_micros is null desc, start_micros desc, computation_id
limit :limit
