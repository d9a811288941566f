-- Where the row of several batches ends that a record lies in; none if it lies in no such row. No other begins within one.
select first_seq + records as until_seq
from (
    select first_seq, records, batches
    from batch
    where instance_id = :instance_id and first_seq <= :seq
    order by first_seq desc
    limit 1
)
where batches > 1 and first_seq + records > :seq
