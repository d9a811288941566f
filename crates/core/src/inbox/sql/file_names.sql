select name from inbox_file where folder = :folder
