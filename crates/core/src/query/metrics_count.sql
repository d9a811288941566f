-- How many fine metrics match.
select count(*)
from metric as m
join name as prefix on prefix.id = m.prefix_id
where
    m.cluster_id = :id
    and (:span_id is null or m.span_id = :span_id)
    and (:prefix is null or prefix.text = :prefix)
