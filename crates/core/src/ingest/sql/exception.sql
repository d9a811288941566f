-- The latest record of an exception stands; `exception_text.sql` has its text.
insert into exception (
    cluster_id, exception_id, at_micros, seq, rank, group_id, group_name, origin, type_id, message_sealed,
    traceback_sealed, fingerprint, details_sealed, worker, first_seen_micros, last_seen_micros, count, dependents
)
values (
    :cluster_id, :exception_id, :at_micros, :seq, :rank, :group_id, :group_name, :origin, :type_id, :message_sealed,
    :traceback_sealed, :fingerprint, :details_sealed, :worker, :first_seen_micros, :last_seen_micros, :count, :dependents
)
on conflict (cluster_id, exception_id) do update set
    at_micros = excluded.at_micros,
    seq = excluded.seq,
    rank = excluded.rank,
    group_id = excluded.group_id,
    group_name = excluded.group_name,
    origin = excluded.origin,
    type_id = excluded.type_id,
    worker = excluded.worker,
    first_seen_micros = excluded.first_seen_micros,
    last_seen_micros = excluded.last_seen_micros,
    count = excluded.count,
    dependents = excluded.dependents
where (at_micros, seq, rank) < (excluded.at_micros, excluded.seq, excluded.rank)
