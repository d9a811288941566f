-- Events of topics that are no longer allowed are told as shed.
insert or ignore into dropped (instance_id, seq, at_micros, what, count, reason)
select e.instance_id, e.seq, e.at_micros, 'event', 1, 'switched_off'
from event as e
join name as n on n.id = e.topic_id
where e.cluster_id = :cluster_id and n.text not in (select value from json_each(:events_allow))
