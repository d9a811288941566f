-- The day of an hour that was put together.
insert or ignore into profile_due (due_micros, instance_id, from_micros, to_micros)
values (:due_micros, :instance_id, :from_micros, :to_micros)
