select due_micros, instance_id, from_micros, to_micros from profile_due where due_micros <= :now order by due_micros limit 1
