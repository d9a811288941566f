insert into name (text) values (:text)
