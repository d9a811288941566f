insert or ignore into profile_stack (instance_id, seq, packed)
values (:instance_id, :seq, :packed)
