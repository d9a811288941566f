select count from frame_forgotten
