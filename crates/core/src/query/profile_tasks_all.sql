-- How many tasks of clusters have ended, by their samples.
select cast(total(t.tasks_completed) + total(t.tasks_erred) as integer) as tasks
from json_each(:ids) as wanted
cross join cluster_total as t on t.cluster_id = wanted.value
