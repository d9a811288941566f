-- The lines of source of the profiles of a cluster, in order.
select l.seq, l.lines_sealed, i.instance_id, c.scheduler_id
from instance as i
join cluster as c on c.id = i.cluster_id
cross join profile_line as l on l.instance_id = i.id
where i.cluster_id = :id
order by i.first_at_micros, i.rank, l.seq
