-- The code of each computation of these clusters, and of how many groups it is.
select p.cluster_id, k.fingerprint, json_array_length(p.groups) as group_total
from json_each(:clusters) as wanted
cross join computation as p on p.cluster_id = wanted.value
left join computation_code as k on k.cluster_id = p.cluster_id and k.computation_id = p.computation_id
