-- What is the same as long as the same profiles of clusters are stored: to put some together changes what is kept of the first.
select p.instance_id, p.seq, p.from_micros, p.to_micros, p.samples, p.unattributed
from json_each(:ids) as wanted
cross join instance as i on i.cluster_id = wanted.value
cross join profile as p on p.instance_id = i.id
