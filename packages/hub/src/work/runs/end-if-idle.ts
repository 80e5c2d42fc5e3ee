import { type RawBuilder, sql } from "kysely";

/**
 * In the first statement of a transaction that locks what others wait for: the server ends that of a hub which stands still
 * in the middle.
 */
export const endIfIdle: RawBuilder<string> = sql<string>`set_config('idle_in_transaction_session_timeout', '10s', true)`;
