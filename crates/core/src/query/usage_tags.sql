-- The names of tags, by a step along the index for each and not for each cluster that has it.
with recursive found (name) as (
    select min(name) from tag
    union all
    select (select min(t.name) from tag as t where t.name > found.name) from found where found.name is not null
)
select name from found where name is not null limit :limit
