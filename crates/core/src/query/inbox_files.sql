-- Files in which batches arrived, as they were when they were last looked at.
select folder, name, size_bytes, modified_micros, offset_bytes, refused
from inbox_file
order by modified_micros desc, folder, name
limit :limit
