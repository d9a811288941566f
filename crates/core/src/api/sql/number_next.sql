-- The last number that a cluster had. Only in a store that shows clusters of another one by their numbers there.
update sqlite_sequence set seq = :number where name = 'cluster'
