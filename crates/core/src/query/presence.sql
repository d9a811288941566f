-- How many clusters are alive, and how many of those have nothing to do.
select count(*) as alive, count(t.idle_since_micros) as idle
from cluster_total as t indexed by cluster_total_alive
join cluster as c on c.id = t.cluster_id
where not c.sample and t.stop_at_micros is null and t.silent_after_micros >= :now
