-- The functions of a cluster.
select f.id, f.name, p.path, f.line
from cluster_frame as u
cross join frame as f on f.id = u.frame_id
cross join frame_file as p on p.id = f.file_id
where u.cluster_id = :cluster_id
