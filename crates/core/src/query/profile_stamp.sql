-- What is the same as long as the same profiles of clusters are stored.
select count(*) as records, total(p.seq) as seqs
from json_each(:ids) as wanted
cross join instance as i on i.cluster_id = wanted.value
cross join profile as p on p.instance_id = i.id
