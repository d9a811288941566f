-- The first deletion that is begun, or that is one of :over: nobody took it back in time.
select cluster_id, begun
from deletion
where begun = 1 or cluster_id in (select value from json_each(:over))
order by begun desc, due_micros, cluster_id
limit 1
