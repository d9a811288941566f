-- The code of computations, the newest first, as it is sealed.
select
    c.id,
    c.scheduler_id,
    c.shown_name,
    k.at_micros,
    k.computation_id as item,
    k.frames_sealed as sealed
from computation_code as k
join cluster as c on c.id = k.cluster_id
where k.cluster_id not in (select cluster_id from deletion where begun = 1)
order by k.at_micros desc, k.cluster_id desc, k.computation_id desc
limit :limit offset :offset
