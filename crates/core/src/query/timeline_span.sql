-- From when to when there are samples, and how many.
select min(s.at_micros), max(s.at_micros), count(*)
from instance as i
cross join sample as s on s.instance_id = i.id
where
    i.cluster_id = :id
    and (:from_micros is null or s.at_micros >= :from_micros)
    and (:to_micros is null or s.at_micros < :to_micros)
