-- What became of files that arrived, the latest of them: of those that arrived since this table is there.
create table inbox_taken (
    id integer primary key,
    folder text not null,
    name text not null,
    -- When something became of it last.
    at_micros integer not null,
    -- Null for a folder of the spool, and for a batch of one.
    size_bytes integer,
    -- `read`, batch by batch; `imported`, at once and as a whole; `refused`.
    fate text not null,
    -- That were read of it; null where that was not counted from its beginning.
    records integer,
    -- Clusters that were taken of one that was imported.
    taken integer,
    -- Clusters that it tells of and that were not taken.
    left_out integer not null,
    -- Why it was refused, or the first of those clusters was not taken.
    why text,
    -- What it is called now, where it was put aside.
    aside text,
    unique (folder, name)
) strict;

create index inbox_taken_at on inbox_taken (at_micros);

-- Clusters that such a file told of.
create table inbox_taken_cluster (
    taken_id integer not null references inbox_taken (id) on delete cascade,
    cluster_id integer not null references cluster (id) on delete cascade,
    primary key (taken_id, cluster_id)
) strict, without rowid;

create index inbox_taken_cluster_of on inbox_taken_cluster (cluster_id);
