insert or ignore into kept (instance_id, seq, kind, text_sealed) values (:instance_id, :seq, :kind, :text_sealed)
