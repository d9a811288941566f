-- Old reports of an instance that follow each other stand in one row.

-- How many reports a row is of. A row of several has a digest of zeroes: what comes again from within it is known.
alter table batch add column batches integer not null default 1;

-- Reports before this one are folded, as far as they can be.
alter table instance add column folded_seq integer not null default 0;
