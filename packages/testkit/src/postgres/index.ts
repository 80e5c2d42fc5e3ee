export { type Postgres, type Standby, startPostgres } from "./start-postgres.ts";
