-- A data key, the cluster that it is for, and what it is sealed to.
select k.wrapped, c.scheduler_id, i.public_key
from data_key as k
join cluster as c on c.id = k.cluster_id
join install_key as i on i.id = k.install_key_id
where k.id = :id
