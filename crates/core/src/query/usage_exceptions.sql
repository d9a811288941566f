-- Exceptions that were last seen in [:from_micros, :to_micros). Read by place.
select e.cluster_id, e.last_seen_micros, e.type_id, e.fingerprint, e.count
from exception as e
where e.last_seen_micros >= :from_micros and e.last_seen_micros < :to_micros
