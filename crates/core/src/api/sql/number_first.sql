-- The same for a store that has had no cluster.
insert into sqlite_sequence (name, seq) values ('cluster', :number)
