-- Clusters that came after one of them, and were heard at or after a moment of this machine's clock; samples are told by Bobbin itself.
select c.id, c.name, c.host, t.workers, t.last_heard_micros
from cluster as c
join cluster_total as t on t.cluster_id = c.id
where
    c.id > :after_id
    and t.last_heard_micros >= :since_micros
    and c.sample = 0
    and (:schedulers is null or c.scheduler_id in (select value from json_each(:schedulers)))
order by t.last_heard_micros desc, c.id desc
limit :limit
