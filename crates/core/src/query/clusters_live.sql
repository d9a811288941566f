-- The clusters that are alive: running, stalled or idle, newest first.
select c.id
from cluster_total as t indexed by cluster_total_alive
join cluster as c on c.id = t.cluster_id
where t.stop_at_micros is null and t.silent_after_micros >= :now
order by c.started_micros desc, c.id desc
limit :limit
