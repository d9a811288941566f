-- Periods from which records are missing. Before the first batch of an instance, that is since the cluster began.
select coalesce(g.from_micros, c.started_micros) as from_micros, g.to_micros, g.missing_records
from gap as g
join cluster as c on c.id = g.cluster_id
where g.cluster_id = :id
order by g.to_micros, g.instance_id, g.first_seq
limit :limit
