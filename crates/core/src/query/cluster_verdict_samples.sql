-- How late the scheduler was, and the most that was on disk, over all samples of a cluster.
select
    count(*) as samples,
    count(*) filter (where s.loop_lag_micros > :late_micros) as late_samples,
    coalesce(max(s.loop_lag_micros), 0) as lag_micros,
    coalesce(max(s.memory_spilled_bytes), 0) as spilled_bytes
from instance as i
cross join sample as s on s.instance_id = i.id
where i.cluster_id = :id
