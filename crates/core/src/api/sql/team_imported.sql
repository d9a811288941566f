-- Of these schedulers, those whose clusters came with a bundle: the time up to which it knew of them, and which bundle it was; null where
-- that was not noted.
select c.scheduler_id, m.as_of_micros, m.told_by
from imported as m
join cluster as c on c.id = m.cluster_id
where c.scheduler_id in (select value from json_each(:ids))
order by c.scheduler_id
limit 10000000
