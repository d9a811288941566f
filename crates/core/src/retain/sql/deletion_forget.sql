delete from deletion where begun = 0
