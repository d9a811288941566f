-- The clusters of a list of numbers, in its order.
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
    t.workers,
    t.threads,
    t.workers_peak,
    t.memory_used_bytes,
    t.memory_peak_bytes,
    t.memory_limit_bytes,
    t.tasks,
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
order by wanted.key
