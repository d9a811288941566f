-- Clusters that are alive, and whether each has something to do.
select c.id, t.idle_since_micros is not null as idle
from cluster_total as t indexed by cluster_total_alive
join cluster as c on c.id = t.cluster_id
where not c.sample and t.stop_at_micros is null and t.silent_after_micros >= :now
