-- Of a cluster's task groups: how many, those of a single task, attempts that were made again, and when work began and ended.
select
    count(*) as groups,
    count(*) filter (where (select total(s.value) from json_each(g.states) as s) = 1) as single_groups,
    cast(min(total(g.retried), 9007199254740991) as integer) as retried,
    min(g.start_micros) as first_micros,
    max(g.stop_micros) as last_micros
from task_group as g
where g.cluster_id = :id
