-- What was used in the hours [:first_hour, :end_hour).
select
    count(distinct cluster_id) as clusters,
    coalesce(sum(compute_micros), 0) as compute_micros,
    coalesce(sum(thread_micros), 0) as thread_micros,
    coalesce(sum(tasks_completed), 0) as tasks_completed,
    coalesce(sum(tasks_erred), 0) as tasks_erred,
    coalesce(sum(result_bytes), 0) as result_bytes,
    coalesce(max(workers_peak), 0) as workers_peak
from cluster_hour
where hour >= :first_hour and hour < :end_hour
