-- The samples of a cluster that tell of its workers, in order.
select s.at_micros, w.instance_id, w.seq
from instance as i
cross join sample_worker as w on w.instance_id = i.id
cross join sample as s on s.instance_id = w.instance_id and s.seq = w.seq
where
    i.cluster_id = :id
    and (:from_micros is null or s.at_micros >= :from_micros)
    and (:to_micros is null or s.at_micros < :to_micros)
order by s.at_micros, w.seq, i.rank
