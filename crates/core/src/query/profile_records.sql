-- The profiles of clusters.
select
    i.cluster_id, p.instance_id, p.seq, p.from_micros, p.to_micros, p.samples, p.sample_micros, p.unattributed, p.prefix_id
from json_each(:ids) as wanted
cross join instance as i on i.cluster_id = wanted.value
cross join profile as p on p.instance_id = i.id
