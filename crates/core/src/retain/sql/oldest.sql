-- The cluster that was last seen longest ago, of those that are over and not pinned: they said so, or were silent for a day. One that
-- is silent for less may have slept, and goes on.
select c.id
from cluster_total as t
join cluster as c on c.id = t.cluster_id
where c.pinned_micros is null and (t.stop_at_micros is not null or t.silent_after_micros < :now - 86400000000)
order by t.seen_micros, t.cluster_id
limit 1
