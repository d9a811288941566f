-- The profiles of an instance.
select p.seq, p.from_micros, p.to_micros, n.text as prefix, p.samples, p.sample_micros, p.unattributed
from profile as p
left join name as n on n.id = p.prefix_id
where p.instance_id = :instance_id
order by p.seq
