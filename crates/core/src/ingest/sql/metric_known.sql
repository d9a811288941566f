select 1
from metric
where
    cluster_id = :cluster_id
    and span_id = :span_id
    and prefix_id = :prefix_id
    and context_id = :context_id
    and activity_id = :activity_id
    and unit_id = :unit_id
