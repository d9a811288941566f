-- Records and fields that this build does not know.
select count(*)
from kept as k
join instance as i on i.id = k.instance_id
where i.cluster_id = :cluster_id
