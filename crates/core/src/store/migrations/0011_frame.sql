-- Functions in profiles, each once in the store: profiles name them by number.

-- Profiles that were stored before told their functions themselves; no build reads these any more.
delete from profile_line;
delete from profile_stack;
delete from profile;

create table frame (
    -- Never given twice: what was read before a deletion names nothing else afterwards.
    id integer primary key autoincrement,
    name text not null,
    file text not null,
    -- Its first line; -1 where it was not told, since nulls are not unique.
    line integer not null,
    unique (name, file, line)
) strict;

-- Which clusters have profiles with a function: with the last of them goes its name.
create table cluster_frame (
    frame_id integer not null references frame (id),
    cluster_id integer not null references cluster (id) on delete cascade,
    primary key (frame_id, cluster_id)
) strict, without rowid;

create index cluster_frame_of on cluster_frame (cluster_id);

-- How many of these rows were ever deleted: what the writer remembers of both tables is right as long as this is the same.
create table frame_forgotten (
    id integer primary key check (id = 1),
    count integer not null
) strict;

insert into frame_forgotten values (1, 0);

create trigger cluster_frame_gone after delete on cluster_frame begin
    update frame_forgotten set count = count + 1;
    delete from frame
    where id = old.frame_id and not exists (select 1 from cluster_frame where frame_id = old.frame_id);
end;

-- A cluster without profiles has no functions either. One that is deleted is no instance's cluster any more here.
create trigger profile_gone after delete on profile
when not exists (select 1 from profile where instance_id = old.instance_id) begin
    delete from cluster_frame
    where
        cluster_id = (select i.cluster_id from instance as i where i.id = old.instance_id)
        and not exists (
            select 1
            from instance as i
            join instance as other on other.cluster_id = i.cluster_id
            join profile as p on p.instance_id = other.id
            where i.id = old.instance_id
        );
end;
