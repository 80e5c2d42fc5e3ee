-- The certificate authorities of hubs that share this database. A retired one stays without its keys, so that a data folder
-- that still has it is known to be of the same hubs.
create table authority (
  fingerprint text collate "C" primary key,
  state text collate "C" not null check (state in ('current', 'coming', 'retired')),
  certificate_pem text collate "C" not null
);

create unique index authority_state on authority (state) where state <> 'retired';

-- An authority's private key, never in plain: encrypted once by each key encryption key that some hub still goes by.
-- `replaced_by` names the one that follows: hubs that have only that need this row no more.
create table authority_key (
  authority text collate "C" not null references authority (fingerprint) on delete cascade,
  key_id text collate "C" not null,
  sealed_key text collate "C" not null check (sealed_key not like '%PRIVATE KEY%'),
  replaced_by text collate "C",
  primary key (authority, key_id)
);
