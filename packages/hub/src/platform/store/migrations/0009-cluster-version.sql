-- Answers of several connections come in any order: a version says which of two is newer, and an incarnation whether both
-- are of the same cluster, since a name may be given again.
alter table cluster add column version bigint not null default 0;

alter table cluster add column incarnation uuid not null default gen_random_uuid();
