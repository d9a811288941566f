-- What a cluster did between two moments, and what happened in it.
with bound as (
    select
        i.id,
        (
            select s.seq from sample as s
            where s.instance_id = i.id and (:to_micros is null or s.at_micros <= :to_micros)
            order by s.at_micros desc, s.seq desc limit 1
        ) as last_seq,
        (
            select s.seq from sample as s
            where s.instance_id = i.id and s.at_micros <= :from_micros
            order by s.at_micros desc, s.seq desc limit 1
        ) as before_seq
    from instance as i
    where i.cluster_id = :id
),
done as (
    select
        total(l.tasks_completed - coalesce(b.tasks_completed, 0)) as tasks_completed,
        total(l.tasks_erred - coalesce(b.tasks_erred, 0)) as tasks_erred
    from bound as o
    join sample as l on l.instance_id = o.id and l.seq = o.last_seq
    left join sample as b on b.instance_id = o.id and b.seq = o.before_seq
),
peak as (
    select
        max(s.workers) as workers_peak,
        max(s.memory_used_bytes) as memory_peak_bytes,
        max(s.memory_spilled_bytes) as spilled_peak_bytes
    from instance as i
    cross join sample as s on s.instance_id = i.id
    where
        i.cluster_id = :id
        and (:from_micros is null or s.at_micros >= :from_micros)
        and (:to_micros is null or s.at_micros < :to_micros)
)
select
    cast(max(d.tasks_completed, 0) as integer) as tasks_completed,
    cast(max(d.tasks_erred, 0) as integer) as tasks_erred,
    p.workers_peak,
    p.memory_peak_bytes,
    p.spilled_peak_bytes,
    (
        select count(*) from task_group as g
        where
            g.cluster_id = :id
            and (
                (:from_micros is null and :to_micros is null)
                or (
                    g.start_micros < coalesce(:to_micros, 9223372036854775807)
                    and coalesce(g.stop_micros, 9223372036854775807) >= coalesce(:from_micros, 0)
                )
            )
    ) as groups,
    (
        select count(*) from computation as k
        where
            k.cluster_id = :id
            and (
                (:from_micros is null and :to_micros is null)
                or (
                    k.start_micros < coalesce(:to_micros, 9223372036854775807)
                    and coalesce(k.stop_micros, 9223372036854775807) >= coalesce(:from_micros, 0)
                )
            )
    ) as computations,
    (
        select count(*) from exception as e
        where
            e.cluster_id = :id
            and (:to_micros is null or e.first_seen_micros < :to_micros)
            and (:from_micros is null or e.last_seen_micros >= :from_micros)
    ) as exceptions,
    (
        select count(*) from event as v
        where
            v.cluster_id = :id
            and v.at_micros >= coalesce(:from_micros, 0)
            and v.at_micros < coalesce(:to_micros, 9223372036854775807)
    ) as events,
    (
        select count(*)
        from instance as i
        cross join worker_event as w on w.instance_id = i.id
        where
            i.cluster_id = :id
            and w.at_micros >= coalesce(:from_micros, 0)
            and w.at_micros < coalesce(:to_micros, 9223372036854775807)
    ) as worker_events
from done as d
cross join peak as p
