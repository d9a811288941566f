-- The exceptions whose latest record is of an instance.
select
    e.at_micros, e.exception_id, e.group_id, e.group_name, e.origin, n.text as exception_type, e.message_sealed,
    e.traceback_sealed, e.details_sealed, e.worker, e.first_seen_micros, e.last_seen_micros, e.count, e.dependents
from exception as e
join name as n on n.id = e.type_id
where e.cluster_id = :cluster_id and e.rank = :rank
order by e.exception_id
