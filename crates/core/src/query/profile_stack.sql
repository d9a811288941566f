-- The stacks of one run's profiles from one number to another.
select seq, packed from profile_stack where instance_id = :instance_id and seq between :from_seq and :to_seq
