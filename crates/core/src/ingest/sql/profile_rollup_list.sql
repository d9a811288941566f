-- The profiles of a run of the plugin that end in a stretch of time, in order.
select seq, prefix_id, sample_micros
from profile
where instance_id = :instance_id and to_micros > :from_micros and to_micros <= :to_micros
order by seq
