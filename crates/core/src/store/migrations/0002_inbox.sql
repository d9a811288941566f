-- Files of batches that were looked at, so that each is read on from where it was left.
create table inbox_file (
    folder text not null,
    name text not null,
    -- As they were when it was last looked at.
    size_bytes integer not null,
    modified_micros integer not null,
    -- Where the next batch begins.
    offset_bytes integer not null,
    -- Of its last batch.
    scheduler_id text,
    instance_id text,
    -- Why no more of it is read.
    refused text,
    primary key (folder, name)
) strict, without rowid;
