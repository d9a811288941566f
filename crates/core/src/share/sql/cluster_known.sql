-- Whether a cluster has said who it is.
select exists (select 1 from cluster_fact as f where f.cluster_id = c.id)
from cluster as c
where c.id = :cluster_id
