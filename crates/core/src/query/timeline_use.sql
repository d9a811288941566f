-- The sums of a cluster's samples, instance after instance, each in order. Sums begin with their instance.
select
    s.instance_id,
    i.first_at_micros,
    s.at_micros,
    s.thread_micros,
    s.compute_micros,
    s.transfer_micros,
    s.disk_read_micros,
    s.disk_write_micros,
    s.deserialize_micros,
    s.other_micros
from instance as i
cross join sample as s on s.instance_id = i.id
where i.cluster_id = :id
order by i.instance_id, s.seq
