-- The spans of a cluster, newest first, with the sums of their own groups.
with page as (
    select *, coalesce(start_micros, enqueued_micros, at_micros) as began
    from span
    where
        cluster_id = :id
        and (:to_micros is null or start_micros < :to_micros)
        and (:from_micros is null or (start_micros is not null and coalesce(stop_micros, :from_micros) >= :from_micros))
        and (:group_id is null or exists (select 1 from json_each(groups) where value = :group_id))
    order by began desc, span_id
    limit :limit offset :offset
),
spent as (
    select
        p.span_id,
        total(g.compute_seconds) as compute_seconds,
        total(g.transfer_seconds) as transfer_seconds,
        total(g.disk_read_seconds) as disk_read_seconds,
        total(g.disk_write_seconds) as disk_write_seconds,
        total(g.deserialize_seconds) as deserialize_seconds,
        total(g.other_seconds) as other_seconds,
        cast(min(total(g.result_bytes), 9007199254740991) as integer) as result_bytes
    from page as p
    join json_each(p.groups) as member
    join task_group as g on g.cluster_id = :id and g.group_id = member.value
    group by p.span_id
)
select
    p.span_id,
    p.parent_id,
    p.name,
    p.tags,
    p.start_micros,
    p.stop_micros,
    p.enqueued_micros,
    p.groups,
    (
        select json_group_object(state, tasks)
        from (
            select counted.key as state, cast(min(total(counted.value), 9007199254740991) as integer) as tasks
            from json_each(p.groups) as member
            join task_group as g on g.cluster_id = :id and g.group_id = member.value
            join json_each(g.states) as counted
            group by counted.key
        )
    ) as states,
    coalesce(s.compute_seconds, 0.0) as compute_seconds,
    coalesce(s.transfer_seconds, 0.0) as transfer_seconds,
    coalesce(s.disk_read_seconds, 0.0) as disk_read_seconds,
    coalesce(s.disk_write_seconds, 0.0) as disk_write_seconds,
    coalesce(s.deserialize_seconds, 0.0) as deserialize_seconds,
    coalesce(s.other_seconds, 0.0) as other_seconds,
    coalesce(s.result_bytes, 0) as result_bytes
from page as p
left join spent as s on s.span_id = p.span_id
order by p.began desc, p.span_id
