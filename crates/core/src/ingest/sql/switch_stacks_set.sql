update profile_stack set packed = :packed where instance_id = :instance_id and seq = :seq
