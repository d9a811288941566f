insert into too_many (cluster_id, what, count) values (:cluster_id, :what, 1)
on conflict (cluster_id, what) do update set count = count + 1
