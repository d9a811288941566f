-- What the list of clusters is found by, in the one narrow table of figures. No batch changes these columns, so that their
-- indexes cost it nothing.

-- The cluster's, once more, as its start.
alter table cluster_total add column first_at_micros integer;
-- Computations with code.
alter table cluster_total add column codes integer not null default 0;

update cluster_total set
    first_at_micros = (select c.first_at_micros from cluster as c where c.id = cluster_id),
    codes = (select count(*) from computation_code as k where k.cluster_id = cluster_total.cluster_id);

create index cluster_total_started on cluster_total (started_micros, first_at_micros);
create index cluster_total_codes on cluster_total (started_micros) where codes > 0;

drop trigger cluster_total_new;
create trigger cluster_total_new after insert on cluster_total begin
    update cluster_total
    set (started_micros, first_at_micros) = (
        select c.started_micros, c.first_at_micros from cluster as c where c.id = new.cluster_id
    )
    where cluster_id = new.cluster_id;
end;

drop trigger cluster_started_anew;
create trigger cluster_started_anew after update of said_started_micros, first_at_micros on cluster
when (old.started_micros, old.first_at_micros) is not (new.started_micros, new.first_at_micros) begin
    update cluster_total
    set started_micros = new.started_micros, first_at_micros = new.first_at_micros
    where cluster_id = new.id;
end;

create trigger computation_code_new after insert on computation_code begin
    update cluster_total set codes = codes + 1 where cluster_id = new.cluster_id;
end;

create trigger computation_code_gone after delete on computation_code begin
    update cluster_total set codes = codes - 1 where cluster_id = old.cluster_id;
end;
