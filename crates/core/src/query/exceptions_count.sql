-- How many exceptions match.
select count(*)
from exception as e
join cluster as c on c.id = e.cluster_id
where
    (:id is null or e.cluster_id = :id)
    and e.cluster_id not in (select cluster_id from deletion where begun = 1)
    and e.last_seen_micros >= coalesce(:from_micros, 0)
    and (:user is null or c.user = :user)
