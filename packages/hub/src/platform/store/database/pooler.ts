import type { ClientBase } from "pg";

/**
 * True when a pooler is between: it gives out keys of its own for cancelling statements, since the server's are those of
 * whichever connection is used at the moment. Whether it hands connections round isn't to be told for sure.
 */
export async function isPooled(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid !== (client as unknown as { readonly processID: number | null }).processID;
}
