-- The cluster that was last seen longest ago, of those that are over and not pinned.
select c.id
from cluster_total as t
join cluster as c on c.id = t.cluster_id
where c.pinned_micros is null and (t.stop_at_micros is not null or t.silent_after_micros < :now)
order by t.seen_micros, t.cluster_id
limit 1
