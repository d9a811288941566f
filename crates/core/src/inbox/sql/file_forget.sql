delete from inbox_file where folder = :folder and name = :name
