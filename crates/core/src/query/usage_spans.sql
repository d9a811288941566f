-- Of the clusters of a list of numbers: what each of their spans computed, and from when to when.
select
    g.cluster_id,
    s.name,
    s.tags,
    min(g.start_micros) as from_micros,
    max(coalesce(g.stop_micros, g.at_micros)) as to_micros,
    total(g.compute_seconds) as compute_seconds
from json_each(:ids) as wanted
cross join task_group as g on g.cluster_id = wanted.value
join span as s on s.cluster_id = g.cluster_id and s.span_id = g.span_id
where g.compute_seconds > 0.0 and g.start_micros is not null
group by g.cluster_id, g.span_id
