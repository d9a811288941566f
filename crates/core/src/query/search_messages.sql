-- The messages of exceptions, those seen last first, as they are sealed.
select
    c.id,
    c.scheduler_id,
    c.shown_name,
    e.last_seen_micros as at_micros,
    e.exception_id as item,
    e.message_sealed as sealed
from exception as e
join cluster as c on c.id = e.cluster_id
where e.message_sealed is not null and e.cluster_id not in (select cluster_id from deletion where begun = 1)
order by e.last_seen_micros desc, e.cluster_id desc, e.exception_id desc
limit :limit offset :offset
