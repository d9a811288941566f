-- Clusters that are told from a recording, by how their ids begin, and whether each is being removed; oldest first. The range is
-- that of `Sample-`, so that the index of ids answers.
select c.id, c.scheduler_id, exists (select 1 from deletion as d where d.cluster_id = c.id) as going
from cluster as c
where
    c.scheduler_id >= 'Sample-' and c.scheduler_id < 'Sample.'
    and exists (select 1 from cluster_total as t where t.cluster_id = c.id)
order by c.id
