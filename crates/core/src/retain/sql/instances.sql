-- The instances of a cluster, and the latest sample of each.
select i.id, (select max(s.seq) from sample as s where s.instance_id = i.id) as last_sample_seq
from instance as i
where i.cluster_id = :cluster_id
