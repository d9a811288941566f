-- The clusters that a notice could be about: alive, or seen since a moment, newest first. What came in a bundle is a
-- story of somebody else's, and a sample is nobody's.
select t.cluster_id
from cluster_total as t
where t.cluster_id in (
    select a.cluster_id from cluster_total as a indexed by cluster_total_alive
    where a.stop_at_micros is null and a.silent_after_micros >= :now
    union
    select s.cluster_id from cluster_total as s indexed by cluster_total_seen
    where s.seen_micros > :since
)
    and not exists (select 1 from imported as m where m.cluster_id = t.cluster_id)
    and not exists (select 1 from cluster as c where c.id = t.cluster_id and c.sample)
order by t.seen_micros desc, t.cluster_id desc
limit :limit
