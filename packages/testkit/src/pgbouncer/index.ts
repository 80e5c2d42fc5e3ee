export { startPgBouncer } from "./start-pgbouncer.ts";
