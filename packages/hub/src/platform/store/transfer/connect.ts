import { Client, type ClientConfig } from "pg";
import { toStoreError } from "../to-store-error.ts";

/** A connection of its own, with errors named by the store's codes. */
export async function connect(connection: ClientConfig): Promise<Client & AsyncDisposable> {
  const client = new Client({ ...connection, connectionTimeoutMillis: 10_000, application_name: "fairlead-hub store" });
  client.on("error", () => undefined); // the statement says it, too
  try {
    await client.connect();
  } catch (error) {
    throw toStoreError(error);
  }
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end().catch(() => undefined) });
}
