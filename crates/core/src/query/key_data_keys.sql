-- Data keys that are sealed to one key of the install.
select k.id, c.scheduler_id, k.wrapped
from data_key as k indexed by data_key_of_install_key
join cluster as c on c.id = k.cluster_id
where k.install_key_id = :install_key_id and k.id > :after
order by k.id
limit :limit
