-- The identity provider's own name for the sign-in there (`sid` of the ID token), by which it says that it is over.
alter table session add column oidc_sid text collate "C";
