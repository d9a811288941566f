-- Whether more clusters than this began before a moment.
select count(*) > :clusters
from (
    select 1
    from cluster
    where started_micros < :before_micros and sample = (select o.sample from cluster as o where o.id = :cluster)
    limit :clusters + 1
)
