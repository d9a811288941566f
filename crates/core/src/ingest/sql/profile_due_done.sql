delete from profile_due where due_micros = :due_micros and instance_id = :instance_id and from_micros = :from_micros
