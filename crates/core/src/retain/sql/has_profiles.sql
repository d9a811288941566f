select 1 from instance as i join profile as p on p.instance_id = i.id where i.cluster_id = :cluster_id limit 1
