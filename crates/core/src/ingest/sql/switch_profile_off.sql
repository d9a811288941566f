delete from profile where instance_id in (select id from instance where cluster_id = :cluster_id)
