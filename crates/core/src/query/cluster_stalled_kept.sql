-- The hours in which a cluster was stalled, as they were counted before samples of it were removed.
select h.hour, h.stalled_micros
from stalled_hour as h
where
    h.cluster_id = :id
    and exists (select 1 from instance as i where i.cluster_id = h.cluster_id and i.samples_from_seq is not null)
order by h.hour
