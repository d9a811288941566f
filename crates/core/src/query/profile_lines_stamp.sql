-- What changes when a line of source of a cluster comes or goes.
select
    count(*) as records,
    total(l.seq) as seqs,
    (select code_off_micros from cluster_switch where cluster_id = :id) as off
from instance as i
cross join profile_line as l on l.instance_id = i.id
where i.cluster_id = :id
