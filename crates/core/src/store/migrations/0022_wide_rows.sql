-- Wide rows are kept by a number of their own, with the key beside them. Where the key itself orders the rows (`without
-- rowid`), one of more than a quarter of a page has a page to itself for what is beyond: code took three times its bytes.
alter table computation rename to computation_before;
drop index computation_start;

create table computation (
    cluster_id integer not null references cluster (id) on delete cascade,
    computation_id text not null,
    at_micros integer not null,
    seq integer not null,
    rank integer not null,
    start_micros integer,
    stop_micros integer,
    groups text not null,
    states text not null,
    retried integer,
    primary key (cluster_id, computation_id)
) strict;

insert into computation (
    cluster_id, computation_id, at_micros, seq, rank, start_micros, stop_micros, groups, states, retried
)
select cluster_id, computation_id, at_micros, seq, rank, start_micros, stop_micros, groups, states, retried
from computation_before
order by cluster_id, computation_id;

drop table computation_before;
create index computation_start on computation (cluster_id, start_micros);

alter table span rename to span_before;

create table span (
    cluster_id integer not null references cluster (id) on delete cascade,
    span_id text not null,
    at_micros integer not null,
    seq integer not null,
    rank integer not null,
    parent_id text,
    name text not null,
    tags text not null,
    start_micros integer,
    stop_micros integer,
    enqueued_micros integer,
    groups text not null,
    primary key (cluster_id, span_id)
) strict;

insert into span (
    cluster_id, span_id, at_micros, seq, rank, parent_id, name, tags, start_micros, stop_micros, enqueued_micros, groups
)
select
    cluster_id, span_id, at_micros, seq, rank, parent_id, name, tags, start_micros, stop_micros, enqueued_micros, groups
from span_before
order by cluster_id, span_id;

drop table span_before;

alter table profile_line rename to profile_line_before;

create table profile_line (
    instance_id integer not null references instance (id) on delete cascade,
    seq integer not null,
    lines_sealed blob not null,
    primary key (instance_id, seq)
) strict;

insert into profile_line (instance_id, seq, lines_sealed)
select instance_id, seq, lines_sealed
from profile_line_before
order by instance_id, seq;

drop table profile_line_before;

alter table computation_code rename to computation_code_before;
drop index computation_code_at;
drop index computation_code_fingerprint;
drop trigger computation_code_new;
drop trigger computation_code_gone;
drop trigger computation_code_gone_secret;

create table computation_code (
    cluster_id integer not null references cluster (id) on delete cascade,
    computation_id text not null,
    at_micros integer not null,
    seq integer not null,
    rank integer not null,
    frames_sealed blob not null,
    fingerprint blob,
    primary key (cluster_id, computation_id)
) strict;

insert into computation_code (cluster_id, computation_id, at_micros, seq, rank, frames_sealed, fingerprint)
select cluster_id, computation_id, at_micros, seq, rank, frames_sealed, fingerprint
from computation_code_before
order by cluster_id, computation_id;

drop table computation_code_before;
create index computation_code_at on computation_code (at_micros);
create index computation_code_fingerprint on computation_code (fingerprint) where fingerprint is not null;

create trigger computation_code_new after insert on computation_code begin
    update cluster_total set codes = codes + 1 where cluster_id = new.cluster_id;
end;

create trigger computation_code_gone after delete on computation_code begin
    update cluster_total set codes = codes - 1 where cluster_id = old.cluster_id;
end;

create trigger computation_code_gone_secret after delete on computation_code begin
    delete from secret
    where cluster_id = old.cluster_id and within = 'code' and row_id = old.computation_id;
end;
