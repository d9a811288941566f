-- Exceptions that were last seen in [:from_micros, :to_micros).
select e.cluster_id, n.text as exception_type, e.fingerprint, e.last_seen_micros, e.count
from exception as e
join name as n on n.id = e.type_id
where e.last_seen_micros >= :from_micros and e.last_seen_micros < :to_micros
