-- The functions of a cluster.
select f.id, f.name, f.file, f.line
from cluster_frame as u
cross join frame as f on f.id = u.frame_id
where u.cluster_id = :cluster_id
