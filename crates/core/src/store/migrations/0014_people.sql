-- User names that are one person, as a reader said: a cluster that gives itself the first counts as the second's.
create table user_merge (
    user text primary key,
    person text not null check (person <> '')
) strict, without rowid;
