-- The tables and views that a person may ask, with their columns in order. Those beneath the index of texts are SQLite's.
select m.name as table_name, m.sql as made_by, c.name as column_name, c.type as declared
from sqlite_schema as m
join pragma_table_xinfo(m.name) as c
join pragma_table_list as l on l.schema = 'main' and l.name = m.name and l.type <> 'shadow'
where m.type in ('table', 'view') and m.name not like 'sqlite\_%' escape '\' and c.hidden <> 1
order by m.name, c.cid
