-- Profiles that count samples by line are wide: of more than a quarter of a page, most had a page to themselves for what is beyond.
-- They are kept by a number of their own, with the key beside them.
alter table profile_stack rename to profile_stack_before;

create table profile_stack (
    instance_id integer not null references instance (id) on delete cascade,
    seq integer not null,
    packed blob not null,
    primary key (instance_id, seq)
) strict;

insert into profile_stack (instance_id, seq, packed)
select instance_id, seq, packed
from profile_stack_before
order by instance_id, seq;

drop table profile_stack_before;

drop view schema_version;
create view schema_version as select 34 as number;
