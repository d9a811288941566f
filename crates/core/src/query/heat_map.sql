-- One row a label and local day: the compute time, and how many clusters reported.
select
    c.label,
    (h.hour * 3600000000 + :offset_micros) / 86400000000 as day,
    cast(total(h.compute_micros) as integer) as compute_micros,
    count(distinct h.cluster_id) as clusters
from cluster_hour as h
join cluster as c on c.id = h.cluster_id
where h.hour >= :first_hour and h.hour < :end_hour
group by c.label, day
order by c.label, day
