select p.from_micros, p.to_micros, p.samples, p.unattributed, s.packed
from profile as p
join profile_stack as s on s.instance_id = p.instance_id and s.seq = p.seq
where p.instance_id = :instance_id and p.seq = :seq
