-- Whether code is never to be stored again.
select 1 from code_forgotten where fingerprint = :fingerprint
