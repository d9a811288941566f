insert into deleted_cluster (scheduler_digest, deleted_micros) values (:digest, :now)
on conflict (scheduler_digest) do nothing
