-- How many views are kept.
select count(*) from saved_view
