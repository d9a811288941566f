-- Whom a name counts as.
select person from user_merge where user = :user
