-- Profiles of an instance that brought lines of source.
select count(*)
from profile_line
where instance_id = :instance_id
