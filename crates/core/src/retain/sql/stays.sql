-- Of the next reports of an instance: how many were looked at, the last of them, and the first that neither is from before
-- :before nor came before it.
select
    count(*) as looked,
    max(first_seq) as last_seq,
    min(iif(latest_micros >= :before, first_seq, null)) as stays_seq
from (
    select b.first_seq, max(b.last_at_micros, b.received_micros) as latest_micros
    from batch as b
    where b.instance_id = :instance_id and b.first_seq > :behind_seq
    order by b.first_seq
    limit :limit
)
