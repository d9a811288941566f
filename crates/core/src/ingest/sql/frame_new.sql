insert into frame (name, file, line) values (:name, :file, :line)
