-- What was used in the hours [:first_hour, :end_hour). `total` never overflows, whatever a cluster claims.
select
    count(distinct cluster_id) as clusters,
    cast(total(compute_micros) as integer) as compute_micros,
    cast(total(thread_micros) as integer) as thread_micros,
    cast(total(tasks_completed) as integer) as tasks_completed,
    cast(total(tasks_erred) as integer) as tasks_erred,
    cast(total(result_bytes) as integer) as result_bytes,
    coalesce(max(workers_peak), 0) as workers_peak
from cluster_hour
where hour >= :first_hour and hour < :end_hour
