-- Of these schedulers, those whose clusters are here, each with which bundle tells it; null where that was not noted.
select c.scheduler_id, m.told_by
from imported as m
join cluster as c on c.id = m.cluster_id
where c.scheduler_id in (select value from json_each(:ids))
order by c.scheduler_id
limit 10000000
