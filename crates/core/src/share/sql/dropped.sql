-- What an instance said that it shed, and what was not stored because its cluster switched it off.
select at_micros, what, count, reason
from dropped
where instance_id = :instance_id
order by seq
