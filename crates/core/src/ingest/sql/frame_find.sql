select f.id
from frame_file as p
join frame as f on f.file_id = p.id
where p.path = :file and f.name = :name and f.line = :line
