-- Of the clusters that never said goodbye and were not said to be over, which are few: whether each is alive.
select t.cluster_id, t.silent_after_micros >= :now as alive
from cluster_total as t indexed by cluster_total_alive
where
    t.stop_at_micros is null
    and (t.silent_after_micros >= :now or not coalesce(t.finished_mark_micros >= t.last_heard_micros, false))
