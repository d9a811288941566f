-- The first deletion that is begun or due. A clock that went back to before it was asked for does not hold it up.
select cluster_id, begun
from deletion
where begun = 1 or due_micros <= :now or asked_micros > :now + 60000000
order by begun desc, due_micros, cluster_id
limit 1
