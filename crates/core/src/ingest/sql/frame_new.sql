insert into frame (file_id, name, line) select id, :name, :line from frame_file where path = :file
