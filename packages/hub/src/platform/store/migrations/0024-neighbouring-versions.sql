-- Hubs of two neighbouring versions may use this database at once. A migration that takes something away names the oldest
-- version of the tables whose hubs can do without it: `floor`, the number of a migration. All others leave it empty. A hub
-- that meets migrations which it doesn't know goes on if the newest that it knows is at or above every floor.
alter table migration add column floor integer;

-- The newest migration that a hub knows; empty for hubs that don't say.
alter table hub add column schema_version integer;
