-- The next reports of an instance from :from_seq on. The last five stay as they came: from those is told how late they were.
select b.first_seq, b.records, b.received_micros, b.first_at_micros, b.last_at_micros, b.refused, b.kept, b.batches
from batch as b
where
    b.instance_id = :instance_id
    and b.first_seq >= :from_seq
    and b.first_seq < (
        select n.first_seq from batch as n where n.instance_id = :instance_id order by n.first_seq desc limit 1 offset 4
    )
order by b.first_seq
limit :limit
