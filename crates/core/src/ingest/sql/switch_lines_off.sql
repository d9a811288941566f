delete from profile_line where instance_id in (select id from instance where cluster_id = :cluster_id)
