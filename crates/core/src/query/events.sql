-- The events of a cluster, newest first.
select e.seq, e.at_micros, n.text as topic, e.payload_sealed, i.instance_id, c.scheduler_id
from event as e
join instance as i on i.id = e.instance_id
join cluster as c on c.id = e.cluster_id
join name as n on n.id = e.topic_id
where
    e.cluster_id = :id
    and (e.at_micros >= :from_micros or :from_micros is null)
    and (e.at_micros < :to_micros or :to_micros is null)
order by e.at_micros desc, e.instance_id desc, e.seq desc
limit :limit offset :offset
