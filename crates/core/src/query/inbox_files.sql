-- Files that arrived, the latest first: of which it was noted what became, and those that were looked at before anything was noted.
select
    t.id,
    t.folder,
    t.name,
    t.size_bytes as bytes,
    t.at_micros,
    t.fate,
    t.records,
    (select count(*) from inbox_taken_cluster as l where l.taken_id = t.id) as clusters_total,
    t.taken,
    t.left_out,
    t.why,
    t.aside,
    t.fate = 'read' and f.name is not null as goes_on
from inbox_taken as t
left join inbox_file as f on f.folder = t.folder and f.name = t.name
union all
select
    null,
    f.folder,
    f.name,
    f.size_bytes,
    f.modified_micros,
    case when f.refused is not null then 'refused' when f.offset_bytes > 0 then 'read' end,
    null,
    0,
    null,
    0,
    f.refused,
    null,
    f.refused is null
from inbox_file as f
where not exists (select 1 from inbox_taken as t where t.folder = f.folder and t.name = f.name)
    -- Of which nothing was read yet, those that are called as Bobbin's own are: others lie in a shared folder for other reasons.
    and (f.refused is not null or f.offset_bytes > 0 or f.name glob '*.bobbin')
order by at_micros desc, folder, name
limit :limit
