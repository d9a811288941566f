-- Clusters that one file told of, the newest first.
select c.id, c.shown_name as name
from inbox_taken_cluster as l
join cluster as c on c.id = l.cluster_id
where l.taken_id = :taken_id
order by c.id desc
limit :limit
