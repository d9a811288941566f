insert or ignore into sample_worker (instance_id, seq, each, bands)
values (:instance_id, :seq, :each, :bands)
