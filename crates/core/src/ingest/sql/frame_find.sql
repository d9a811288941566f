select id from frame where name = :name and file = :file and line = :line
