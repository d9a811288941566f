-- What was removed of a cluster by age or for room.
select category, records
from pruned
where cluster_id = :cluster_id
order by category
