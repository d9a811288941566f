select f.name, p.path as file, f.line
from frame as f
join frame_file as p on p.id = f.file_id
where f.id = :id
