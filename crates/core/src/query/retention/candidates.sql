-- The next clusters that are not pinned, by when they were last seen.
select
    c.id, c.shown_name, c.started_micros, t.seen_micros, 0 as pinned,
    t.stop_at_micros is null and t.silent_after_micros >= :now as reports
from cluster_total as t
join cluster as c on c.id = t.cluster_id
where (t.seen_micros, t.cluster_id) > (:behind_seen, :behind_id) and c.pinned_micros is null
order by t.seen_micros, t.cluster_id
limit :limit
