-- Profiles that came before it was known that they are off are told as shed.
insert or ignore into dropped (instance_id, seq, at_micros, what, count, reason)
select p.instance_id, p.seq, p.to_micros, 'profile', 1, 'switched_off'
from instance as i
cross join profile as p on p.instance_id = i.id
where i.cluster_id = :cluster_id
