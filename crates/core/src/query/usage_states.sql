-- Of the clusters that never said goodbye, which are few: whether each is alive.
select t.cluster_id, t.silent_after_micros >= :now as alive
from cluster_total as t indexed by cluster_total_alive
where t.stop_at_micros is null
