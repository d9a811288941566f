-- What is known of computations, in the order of the list of their keys.
select
    p.cluster_id,
    c.shown_name as cluster_name,
    p.computation_id,
    p.start_micros,
    p.stop_micros,
    p.states,
    json_array_length(p.groups) as group_total,
    t.workers_peak,
    k.fingerprint
from json_each(:keys) as wanted
cross join computation as p on p.cluster_id = wanted.value ->> 0 and p.computation_id = wanted.value ->> 1
join cluster as c on c.id = p.cluster_id
join cluster_total as t on t.cluster_id = p.cluster_id
left join computation_code as k on k.cluster_id = p.cluster_id and k.computation_id = p.computation_id
order by wanted.key
