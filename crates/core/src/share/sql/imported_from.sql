-- Clusters that were read from files of one kind, the newest arrival first.
select cluster_id
from imported
where source_format = :source_format
order by imported_micros desc, cluster_id desc
limit :limit
