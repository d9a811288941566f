-- Whether the deletion of any cluster was begun.
select exists (select 1 from deletion where begun = 1)
