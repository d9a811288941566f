-- A name counts as itself again.
delete from user_merge where user = :user
