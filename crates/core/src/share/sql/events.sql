-- The events that an instance sent.
select e.seq, e.at_micros, n.text as topic, e.payload_sealed
from event as e
join name as n on n.id = e.topic_id
where e.instance_id = :instance_id
order by e.seq
