insert or ignore into profile_merged (instance_id, seq) values (:instance_id, :seq)
