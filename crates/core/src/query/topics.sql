-- The topics of a cluster's events: how many are stored, and how many were seen and not sent.
with seen as (
    select topic_id, count(*) as stored, 0 as not_sent
    from event
    where cluster_id = :id
    group by topic_id
    union all
    select topic_id, 0, count
    from topic
    where cluster_id = :id
),
summed as (
    select
        n.text as topic,
        sum(s.stored) as stored,
        cast(min(total(s.not_sent), 9007199254740991) as integer) as not_sent
    from seen as s
    join name as n on n.id = s.topic_id
    group by s.topic_id
)
select
    s.topic,
    exists (
        select 1
        from cluster_switch as o
        join json_each(o.events_allow) as allow on allow.value in (s.topic, '*')
        where o.cluster_id = :id
    ) as allowed,
    s.stored,
    s.not_sent,
    count(*) over () as total
from summed as s
order by s.stored + s.not_sent desc, s.topic
limit :limit
