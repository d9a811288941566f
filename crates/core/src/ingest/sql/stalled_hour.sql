insert into stalled_hour (cluster_id, hour, stalled_micros) values (:cluster_id, :hour, :stalled_micros)
on conflict (cluster_id, hour) do update set stalled_micros = max(stalled_micros, excluded.stalled_micros)
