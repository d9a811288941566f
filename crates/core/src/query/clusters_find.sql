-- The clusters that a text may mean: the scheduler's id or its beginning, or the name. Two show that it is not unique.
select id
from cluster
where
    scheduler_id = :text
    or (:text in (name, given_name) and not exists (select 1 from cluster where scheduler_id = :text))
    or (
        scheduler_id like :prefix escape '\'
        and not exists (select 1 from cluster where scheduler_id = :text or :text in (name, given_name))
    )
order by id desc
limit 2
