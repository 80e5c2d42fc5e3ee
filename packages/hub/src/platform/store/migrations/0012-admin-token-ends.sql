-- `fairlead-hub admin-token new` makes tokens and ends others beside a hub, which puts both on record when it sees them:
-- `recorded_at` is when it did. A token that ended stays, so that no start takes the hub for a new one.
alter table admin_token add column by_command boolean not null default false;
alter table admin_token add column revoked_at timestamptz;
alter table admin_token add column revoked_by text collate "C";
alter table admin_token add column recorded_at timestamptz;
