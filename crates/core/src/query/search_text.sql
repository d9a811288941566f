-- Clusters by one of their texts, newest first: numbers rise as clusters come, and the index has them in that order.
-- What is shorter than three letters is not in the index and must be in the text as well. A cluster whose deletion was begun
-- has its texts until its last row goes.
select
    c.id,
    c.shown_name,
    c.started_micros,
    case :column when 'about' then f.about when 'tags' then f.tags else f.note end as text
from cluster_text as f
join cluster as c on c.id = f.rowid
where
    cluster_text match :match
    and f.rowid not in (select cluster_id from deletion where begun = 1)
    and not exists (
        select 1 from json_each(:short) as s
        where case :column when 'about' then f.about when 'tags' then f.tags else f.note end not like s.value escape '\'
    )
order by f.rowid desc
limit :limit
