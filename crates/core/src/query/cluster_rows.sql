-- The clusters of a list of numbers, in its order; what stands in braces is put in by state.rs. A cluster that shuts down takes its workers first, so of a finished
-- one the last sample that has any stands.
select
    c.id,
    c.scheduler_id,
    c.sample,
    c.shown_name,
    '{state}' as state,
    c.user,
    c.host,
    c.project,
    c.tags,
    c.own_tags,
    c.given_name,
    c.note,
    c.pinned_micros is not null as pinned,
    c.started_micros,
    t.stop_at_micros,
    t.stop_at_micros is null and t.finished_mark_micros is not null as finished_by_hand,
    i.stop_reason,
    i.instance_id,
    t.last_heard_micros,
    t.interval_micros,
    t.sample_at_micros,
    t.idle_since_micros,
    t.last_completed_micros,
    t.sample_at_micros - t.last_completed_micros + max(:now - t.last_heard_micros, 0) as since_completed_micros,
    '{quiet}' as quiet_micros,
    t.stall_same_stacks,
    g.p95_seconds as stall_p95_seconds,
    iif(w.seq is null, t.workers, w.workers) as workers,
    iif(w.seq is null, t.threads, w.threads) as threads,
    t.workers_peak,
    t.threads_peak,
    t.efficiency,
    iif(w.seq is null, t.memory_used_bytes, w.memory_used_bytes) as memory_used_bytes,
    t.memory_peak_bytes,
    iif(w.seq is null, t.memory_limit_bytes, w.memory_limit_bytes) as memory_limit_bytes,
    iif(w.seq is null, t.tasks, w.tasks) as tasks,
    t.tasks_completed,
    t.tasks_erred,
    t.compute_micros,
    t.transfer_micros,
    t.disk_micros,
    t.other_micros,
    t.thread_micros,
    t.stalled_micros,
    t.worker_micros,
    t.memory_mib_seconds,
    t.result_bytes,
    t.computations,
    t.exceptions,
    f.unavailable,
    m.source_format
from json_each(:ids) as wanted
join cluster as c on c.id = wanted.value
join cluster_total as t on t.cluster_id = c.id
left join instance as i on i.id = t.instance_id
left join cluster_fact as f on f.cluster_id = c.id
left join imported as m on m.cluster_id = c.id
left join task_group as g on g.cluster_id = t.cluster_id and g.group_id = t.stall_group_id
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
