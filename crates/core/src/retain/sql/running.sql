-- The clusters that are neither pinned nor over: they report, or may do so again.
select c.id
from cluster_total as t
join cluster as c on c.id = t.cluster_id
where c.pinned_micros is null and t.stop_at_micros is null and t.silent_after_micros >= :now - 86400000000
