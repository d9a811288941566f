-- What looked like a secret in the clusters :ids, by place and what it looks like.
select
    cluster_id,
    within,
    what,
    rule = 'unlooked' as unlooked,
    count(distinct fingerprint) as different,
    count(distinct row_id) as places
from secret
where cluster_id in (select value from json_each(:ids))
group by cluster_id, within, rule, what
order by cluster_id, within, unlooked, different desc, what
