-- Whether a deletion is asked for, or begun.
select exists (select 1 from deletion)
