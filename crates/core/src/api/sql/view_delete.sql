-- A view that is not kept any longer.
delete from saved_view where name = :name
