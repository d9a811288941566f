-- Of these schedulers, the time up to which the bundle that their clusters came with knew of them.
select c.scheduler_id, m.as_of_micros
from imported as m
join cluster as c on c.id = m.cluster_id
where c.scheduler_id in (select value from json_each(:ids))
order by c.scheduler_id
limit 100000
