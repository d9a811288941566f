-- Where failures of one kind happened, the last seen first. Which count is as in `exception_kinds.sql`.
select
    e.cluster_id,
    c.shown_name as cluster_name,
    e.exception_id,
    e.group_id,
    e.group_name,
    e.worker,
    e.count,
    e.first_seen_micros,
    e.last_seen_micros
from exception as e
join cluster as c on c.id = e.cluster_id
where
    e.fingerprint = :fingerprint
    and (:id is null or e.cluster_id = :id)
    and e.cluster_id not in (select cluster_id from deletion where begun = 1)
    and (:from_micros is null or e.last_seen_micros >= :from_micros)
    and (:to_micros is null or e.first_seen_micros < :to_micros)
    and (:user is null or c.user = :user)
    and (:sample is null or c.sample = :sample)
    and (:group_id is null or e.group_id = :group_id)
    and (:worker is null or e.worker = :worker)
    and iif(
        :text is null,
        true,
        e.type_id in (select n.id from name as n where n.text like :text escape '\')
        or e.group_name like :text escape '\'
        or e.worker like :text escape '\'
        or (:id is null and c.shown_name like :text escape '\')
    )
order by e.last_seen_micros desc, e.cluster_id desc, e.exception_id
limit :limit
