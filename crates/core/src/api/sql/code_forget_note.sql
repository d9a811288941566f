-- The computations whose code goes: this one, and all that the same code started.
insert into computation_forgotten (cluster_id, computation_id, fingerprint)
select cluster_id, computation_id, fingerprint
from computation_code
where fingerprint = :fingerprint or (cluster_id = :cluster_id and computation_id = :computation_id)
on conflict do update set fingerprint = excluded.fingerprint
