-- The clusters that a text may mean: the scheduler's id or its beginning, or the name. Two show that it is not unique; one
-- whose deletion was begun is none of them.
with there as not materialized (
    select c.id, c.scheduler_id, c.name, c.given_name
    from cluster as c
    where c.id not in (select cluster_id from deletion where begun = 1)
)
select id
from there
where
    scheduler_id = :text
    or (:text in (name, given_name) and not exists (select 1 from there where scheduler_id = :text))
    or (
        scheduler_id like :prefix escape '\'
        and not exists (select 1 from there where scheduler_id = :text or :text in (name, given_name))
    )
order by id desc
limit 2
