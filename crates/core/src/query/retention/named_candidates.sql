-- The clusters :ids.
select
    c.id, c.shown_name, c.started_micros, t.seen_micros, c.pinned_micros is not null as pinned,
    t.stop_at_micros is null and t.silent_after_micros >= :now as reports
from json_each(:ids) as wanted
join cluster_total as t on t.cluster_id = wanted.value
join cluster as c on c.id = t.cluster_id
order by t.seen_micros, t.cluster_id
