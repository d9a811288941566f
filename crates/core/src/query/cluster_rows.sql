-- The clusters of a list of numbers, in its order. A cluster that shuts down takes its workers first, so of a finished
-- one the last sample that has any stands.
select
    c.id,
    c.scheduler_id,
    coalesce(nullif(c.name, ''), c.scheduler_id) as name,
    case
        when t.stop_at_micros is not null then 'finished'
        when t.silent_after_micros < :now then 'lost'
        when t.idle_since_micros is not null then 'idle'
        else 'running'
    end as state,
    c.user,
    c.host,
    c.project,
    c.tags,
    c.started_micros,
    t.stop_at_micros,
    i.stop_reason,
    i.instance_id,
    t.last_heard_micros,
    t.interval_micros,
    t.sample_at_micros,
    t.idle_since_micros,
    iif(w.seq is null, t.workers, w.workers) as workers,
    iif(w.seq is null, t.threads, w.threads) as threads,
    t.workers_peak,
    iif(w.seq is null, t.memory_used_bytes, w.memory_used_bytes) as memory_used_bytes,
    t.memory_peak_bytes,
    iif(w.seq is null, t.memory_limit_bytes, w.memory_limit_bytes) as memory_limit_bytes,
    iif(w.seq is null, t.tasks, w.tasks) as tasks,
    t.tasks_completed,
    t.tasks_erred,
    t.compute_micros,
    t.thread_micros,
    t.result_bytes,
    t.computations,
    t.exceptions
from json_each(:ids) as wanted
join cluster as c on c.id = wanted.value
join cluster_total as t on t.cluster_id = c.id
left join instance as i on i.id = t.instance_id
left join sample as w on
    t.stop_at_micros is not null
    and t.workers = 0
    and w.instance_id = t.instance_id
    and w.seq = (
        select s.seq from sample as s
        where s.instance_id = t.instance_id and s.workers > 0
        order by s.seq desc limit 1
    )
order by wanted.key
