-- The fine metrics of a cluster, by unit, most first.
select
    nullif(m.span_id, '') as span_id,
    context.text as context,
    nullif(prefix.text, '') as prefix,
    activity.text as activity,
    unit.text as unit,
    m.value
from metric as m
join name as context on context.id = m.context_id
join name as prefix on prefix.id = m.prefix_id
join name as activity on activity.id = m.activity_id
join name as unit on unit.id = m.unit_id
where
    m.cluster_id = :id
    and (:span_id is null or m.span_id = :span_id)
    and (:prefix is null or prefix.text = :prefix)
order by unit.text, m.value desc, m.span_id, prefix.text, context.text, activity.text
limit :limit
