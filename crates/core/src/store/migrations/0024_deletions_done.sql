-- A snapshot from before somebody's deletion still holds what was deleted: it is known by the smaller number in it.
create table deletions_done (
    id integer primary key check (id = 1),
    -- Clusters that were deleted to their last row because somebody asked for it, ever.
    clusters integer not null
) strict;

insert into deletions_done values (1, 0);

-- Nobody asked: there was no room for it.
alter table deletion add column for_room integer not null default 0;
