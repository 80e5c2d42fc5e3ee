-- With whose rights a command runs, NAMESPACE/NAME; the agent's own without.
alter table command add column service_account text collate "C";
