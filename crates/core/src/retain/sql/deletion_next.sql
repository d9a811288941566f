-- When the next deletion is due; one that was begun is.
select min(iif(begun, 0, due_micros)) from deletion
