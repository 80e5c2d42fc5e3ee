import type { TestHub } from "@fairlead/testkit";
import { requestHub } from "../fleet/request-hub.ts";
import type { Ledger } from "./ledger.ts";

/** The hub and the ledger of all deeds. */
export interface Harness {
  readonly hub: TestHub;
  readonly ledger: Ledger;
}

/** A change that the admin asks for. Once it is answered its record is a fact. Throws when it is refused. */
export async function change<T = void>(
  harness: Harness,
  method: "DELETE" | "POST" | "PUT",
  path: string,
  body?: object,
): Promise<T> {
  const requestId = `cut-${crypto.randomUUID()}`;
  const headers = { "X-Request-Id": requestId };
  const answer = await requestHub(harness.hub, path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  await harness.ledger.note(`${method} ${path} is on record as ${requestId}`, (picture) =>
    picture.hasRecord(requestId),
  );
  return (answer.text === "" ? undefined : answer.json()) as T;
}
