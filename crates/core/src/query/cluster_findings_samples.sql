-- At how many samples of a cluster workers were paused, and the most memory that there was for a thread.
select
    count(*) as samples,
    count(*) filter (where s.workers_paused > 0) as paused_samples,
    max(s.memory_limit_bytes / nullif(s.threads, 0)) as thread_memory_bytes,
    min(s.at_micros) as first_micros
from instance as i
cross join sample as s on s.instance_id = i.id
where i.cluster_id = :id
