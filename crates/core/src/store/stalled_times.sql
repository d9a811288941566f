-- When a cluster was stalled, from sample to sample, with the time of its threads and without what they did meanwhile. Whether a
-- sample is of a stall is decided as for the cluster's state; what went by before that was known is not in it.
with
told as (
    select
        lag(s.at_micros) over run as from_micros,
        s.at_micros,
        s.stall,
        i.first_at_micros,
        s.thread_micros - lag(s.thread_micros) over run as thread_micros,
        s.compute_micros + s.transfer_micros + s.disk_read_micros + s.disk_write_micros + s.deserialize_micros + s.other_micros
            - lag(
                s.compute_micros + s.transfer_micros + s.disk_read_micros + s.disk_write_micros + s.deserialize_micros
                    + s.other_micros
            ) over run as busy_micros,
        max(s.last_completed_micros) over run as completed_micros,
        max(iif(s.stall is null, s.at_micros, null)) over run as unassigned_micros
    from instance as i
    cross join sample as s on s.instance_id = i.id
    where i.cluster_id = :cluster_id
    window run as (partition by s.instance_id order by s.seq)
)
select
    from_micros,
    at_micros,
    cast(min(thread_micros - max(0, busy_micros), 9007199254740991) as integer) as stalled_micros
from told
where
    thread_micros > max(0, busy_micros)
    and json_extract(stall, '$.same_stacks') is not 0
    and at_micros - max(coalesce(completed_micros, 0), coalesce(unassigned_micros, 0), first_at_micros)
    > json_extract(stall, '$.limit_micros')
order by at_micros
