insert or ignore into profile_line (instance_id, seq, lines_sealed)
values (:instance_id, :seq, :lines_sealed)
