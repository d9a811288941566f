-- The tables whose rows go with a cluster or an instance, those of instances first, with what identifies a row.
select
    t.name,
    coalesce(
        (select group_concat(k.name, ', ') from (select name from pragma_table_info(t.name) where pk > 0 order by pk) as k),
        'rowid'
    ) as key,
    f."from" as column,
    f."table" = 'instance' as of_instance
from sqlite_schema as t
join pragma_foreign_key_list(t.name) as f
where
    t.type = 'table'
    and f."table" in ('cluster', 'instance')
    and f.on_delete = 'CASCADE'
    and t.name not in ('instance', 'deletion')
order by of_instance desc, t.name
