-- The workers at the latest sample of a cluster, where it tells of each.
select t.sample_at_micros, w.each
from cluster_total as t
join instance as i on i.cluster_id = t.cluster_id and i.rank = t.sample_rank
join sample_worker as w on w.instance_id = i.id and w.seq = t.sample_seq
where t.cluster_id = :id and w.each is not null
