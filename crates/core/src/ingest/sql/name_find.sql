select id from name where text = :text
