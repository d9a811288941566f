-- What the plugin said that it shed and what was not stored, by kind.
select what, cast(min(total(count), 9007199254740991) as integer) as count
from (
    select d.what, d.count
    from dropped as d
    join instance as i on i.id = d.instance_id
    where i.cluster_id = :id
    union all
    select what, count
    from too_many
    where cluster_id = :id
)
group by what
order by what
limit 1000
