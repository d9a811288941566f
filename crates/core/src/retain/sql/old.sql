-- The next clusters that began before :before and are not pinned.
select c.id, c.started_micros
from cluster as c
where
    (c.started_micros, c.id) > (:behind_started, :behind_id)
    and c.started_micros < :before
    and c.pinned_micros is null
order by c.started_micros, c.id
limit :limit
