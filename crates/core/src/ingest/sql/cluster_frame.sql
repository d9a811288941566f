insert or ignore into cluster_frame (frame_id, cluster_id) values (:frame_id, :cluster_id)
