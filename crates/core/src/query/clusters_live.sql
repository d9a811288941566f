-- The clusters that are alive: running, stalled or idle, newest first; what stands in braces is put in by state.rs.
select
    c.id,
    '{state}' as state,
    coalesce(t.idle_since_micros, c.started_micros) as since_micros,
    t.sample_at_micros - t.last_completed_micros + max(:now - t.last_heard_micros, 0) as since_completed_micros
from cluster_total as t indexed by cluster_total_alive
join cluster as c on c.id = t.cluster_id
where t.stop_at_micros is null and t.silent_after_micros >= :now
order by c.started_micros desc, c.id desc
