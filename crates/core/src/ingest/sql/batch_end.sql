-- Where the last batch of an instance ends.
select first_seq + records as until_seq
from batch
where instance_id = :instance_id
order by first_seq desc
limit 1
