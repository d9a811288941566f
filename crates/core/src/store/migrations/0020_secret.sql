-- What looked like a secret in sealed texts when they came. It goes with the text that it was found in.
create table secret (
    cluster_id integer not null references cluster (id) on delete cascade,
    -- `code` or `exception`.
    within text not null,
    -- The computation or the exception.
    row_id text not null,
    -- A keyed hash of the value, which tells equal ones apart from others: under a key that is drawn at each start and kept
    -- nowhere, so that no guess can be tried. Empty for a text that was not looked at to its end.
    fingerprint blob not null,
    -- What it was found by, and what it looks like, in words; never the value.
    rule text not null,
    what text not null,
    primary key (cluster_id, within, row_id, fingerprint)
) strict, without rowid;

create trigger computation_code_gone_secret after delete on computation_code begin
    delete from secret
    where cluster_id = old.cluster_id and within = 'code' and row_id = old.computation_id;
end;

create trigger exception_gone_secret after delete on exception begin
    delete from secret
    where cluster_id = old.cluster_id and within = 'exception' and row_id = old.exception_id;
end;

-- Its texts are removed by their age or for room, or switched off.
create trigger exception_told_no_more_secret
after update of message_sealed, traceback_sealed, details_sealed on exception
when coalesce(new.message_sealed, new.traceback_sealed, new.details_sealed) is null
begin
    delete from secret
    where cluster_id = new.cluster_id and within = 'exception' and row_id = new.exception_id;
end;
