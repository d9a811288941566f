update profile
set from_micros = :from_micros, to_micros = :to_micros, samples = :samples, unattributed = :unattributed
where instance_id = :instance_id and seq = :seq
