-- A computation whose code was not let in.
insert into computation_forgotten (cluster_id, computation_id, fingerprint)
values (:cluster_id, :computation_id, :fingerprint)
on conflict do update set fingerprint = excluded.fingerprint
