-- Thread time since each instance of a cluster began, sample after sample.
select s.instance_id, s.at_micros, s.thread_micros
from instance as i
cross join sample as s on s.instance_id = i.id
where i.cluster_id = :id
order by i.first_at_micros, i.rank, s.seq
