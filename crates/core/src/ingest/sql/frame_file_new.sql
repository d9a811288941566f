insert into frame_file (path) values (:file) on conflict do nothing
