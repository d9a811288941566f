-- Code that is never to be stored again, by the fingerprint of `computation_code`.
create table code_forgotten (
    fingerprint blob primary key,
    at_micros integer not null
) strict, without rowid;

-- Computations whose code was taken out so, or not let in.
create table computation_forgotten (
    cluster_id integer not null references cluster (id) on delete cascade,
    computation_id text not null,
    -- Null: of code that was stored without one.
    fingerprint blob,
    primary key (cluster_id, computation_id)
) strict, without rowid;
