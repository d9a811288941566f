-- Clusters that came in a bundle.

create table imported (
    cluster_id integer primary key references cluster (id) on delete cascade,
    imported_micros integer not null,
    -- The latest that was known of it where the bundle was written.
    as_of_micros integer not null,
    -- What was chosen there, and what became of each field, as the manifest says it.
    choice text not null check (json_valid(choice)),
    fields text not null check (json_valid(fields))
) strict;
