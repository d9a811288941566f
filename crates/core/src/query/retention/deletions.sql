-- Clusters that are to be deleted.
select d.cluster_id as id, c.shown_name, d.due_micros, d.begun
from deletion as d
join cluster as c on c.id = d.cluster_id
order by d.due_micros, d.cluster_id
limit 1000
