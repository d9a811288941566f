-- The latest record of a computation stands.
insert into computation (
    cluster_id, computation_id, at_micros, seq, rank, start_micros, stop_micros, groups, states, retried
)
values (
    :cluster_id, :computation_id, :at_micros, :seq, :rank, :start_micros, :stop_micros, :groups, :states, :retried
)
on conflict (cluster_id, computation_id) do update set
    at_micros = excluded.at_micros,
    seq = excluded.seq,
    rank = excluded.rank,
    start_micros = excluded.start_micros,
    stop_micros = excluded.stop_micros,
    groups = excluded.groups,
    states = excluded.states,
    retried = excluded.retried
where (at_micros, seq, rank) < (excluded.at_micros, excluded.seq, excluded.rank)
