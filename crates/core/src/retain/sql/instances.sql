-- The next instances of a cluster in the order of its index, and the latest sample of each.
select i.id, i.instance_id, (select max(s.seq) from sample as s where s.instance_id = i.id) as last_sample_seq
from instance as i
where i.cluster_id = :cluster_id and i.instance_id > :behind_id
order by i.instance_id
limit :limit
