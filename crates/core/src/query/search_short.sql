-- The same where every word is shorter than three letters: each text is read, the newest first, in the table behind the
-- index (about, tags and note are its columns c0, c1 and c2): asked by way of the index, each takes several times as long.
with cluster_words as (
    select
        id,
        case :column when 'about' then c0 when 'tags' then c1 else c2 end as text
    from cluster_text_content
)
select
    c.id,
    c.shown_name,
    c.started_micros,
    w.text
from cluster_words as w
cross join cluster as c on c.id = w.id
where
    -- Most texts end here, without a list to open.
    w.text like :first escape '\'
    and w.id not in (select cluster_id from deletion where begun = 1)
    and not exists (select 1 from json_each(:short) as s where w.text not like s.value escape '\')
order by w.id desc
limit :limit
