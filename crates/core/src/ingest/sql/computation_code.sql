-- The latest code of a computation stands: most records of it carry none.
insert into computation_code (cluster_id, computation_id, at_micros, seq, rank, frames_sealed, fingerprint)
values (:cluster_id, :computation_id, :at_micros, :seq, :rank, :frames_sealed, :fingerprint)
on conflict (cluster_id, computation_id) do update set
    at_micros = excluded.at_micros,
    seq = excluded.seq,
    rank = excluded.rank,
    frames_sealed = excluded.frames_sealed,
    fingerprint = excluded.fingerprint
where (at_micros, seq, rank) < (excluded.at_micros, excluded.seq, excluded.rank)
