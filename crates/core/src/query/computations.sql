-- The computations of a cluster, newest first, with the seconds of their groups.
with page as (
    select computation_id, coalesce(start_micros, at_micros) as began, start_micros, stop_micros, groups, states, retried
    from computation
    where
        cluster_id = :id
        and (:to_micros is null or start_micros < :to_micros)
        and (:from_micros is null or (start_micros is not null and coalesce(stop_micros, :from_micros) >= :from_micros))
    order by began desc, computation_id
    limit :limit offset :offset
),
spent as (
    select
        p.computation_id,
        total(g.compute_seconds) as compute_seconds,
        total(g.transfer_seconds) as transfer_seconds,
        total(g.disk_read_seconds) as disk_read_seconds,
        total(g.disk_write_seconds) as disk_write_seconds,
        total(g.deserialize_seconds) as deserialize_seconds,
        total(g.other_seconds) as other_seconds
    from page as p
    join json_each(p.groups) as member
    join task_group as g on g.cluster_id = :id and g.group_id = member.value
    group by p.computation_id
)
select
    p.computation_id,
    p.start_micros,
    p.stop_micros,
    p.groups,
    p.states,
    p.retried,
    c.scheduler_id,
    o.code_off_micros is null as code_sent,
    k.frames_sealed,
    f.computation_id is not null as forgotten,
    exists (select 1 from code_forgotten as n where n.fingerprint = f.fingerprint) as not_stored_again,
    coalesce(s.compute_seconds, 0.0) as compute_seconds,
    coalesce(s.transfer_seconds, 0.0) as transfer_seconds,
    coalesce(s.disk_read_seconds, 0.0) as disk_read_seconds,
    coalesce(s.disk_write_seconds, 0.0) as disk_write_seconds,
    coalesce(s.deserialize_seconds, 0.0) as deserialize_seconds,
    coalesce(s.other_seconds, 0.0) as other_seconds
from page as p
join cluster as c on c.id = :id
left join cluster_switch as o on o.cluster_id = :id
left join spent as s on s.computation_id = p.computation_id
left join computation_code as k on k.cluster_id = :id and k.computation_id = p.computation_id
left join computation_forgotten as f on f.cluster_id = :id and f.computation_id = p.computation_id
order by p.began desc, p.computation_id
