delete from profile_stack where instance_id in (select id from instance where cluster_id = :cluster_id)
