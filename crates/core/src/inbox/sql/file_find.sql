select size_bytes, modified_micros, offset_bytes, scheduler_id, instance_id, refused
from inbox_file
where folder = :folder and name = :name
