-- When the computations of a cluster were at work.
select start_micros, coalesce(stop_micros, :end_micros)
from computation
where cluster_id = :id and start_micros is not null
