-- The computations whose latest record is of an instance, with the latest code of each.
select c.at_micros, c.computation_id, c.start_micros, c.stop_micros, c.groups, c.states, c.retried, f.frames_sealed
from computation as c
left join computation_code as f on f.cluster_id = c.cluster_id and f.computation_id = c.computation_id
where c.cluster_id = :cluster_id and c.rank = :rank
order by c.computation_id
