// The contract for browsers: types, paths and a client. It brings no zod, so answers aren't checked against their schemas: a
// browser has the page that its hub gave it, and the hub's answers fit that page.
import type { accessRequestOperations, grantOperations, signInOperations, subjectOperations } from "./access/index.ts";
import type { auditOperations } from "./audit/index.ts";
import { type Calls, createCall } from "./calls.ts";
import type { clusterOperations } from "./cluster-operations.ts";
import type { commandOperations } from "./commands/index.ts";
import { createSend, createSendForBytes, type HubClientOptions } from "./fetch-send.ts";
import type { fitnessOperations } from "./fitness/index.ts";
import { webOperations } from "./gen/web-operations.ts";
import type { applicationOperations, argoObjectOperations, gitopsOperations } from "./gitops/index.ts";
import type { hubOperations } from "./hub-operations.ts";
import type { inventoryOperations } from "./inventory/index.ts";
import { fillPath, type PathArgument } from "./operation.ts";
import type { profileOperations } from "./profiles/index.ts";
import type { rolloutOperations } from "./rollouts/index.ts";
import type { scheduleOperations } from "./schedules/index.ts";
import type { AnswerSchema, CallOptions } from "./send.ts";
import type { stackOperations } from "./stacks/index.ts";
import type { templateOperations } from "./templates/index.ts";

export type { HubClientOptions, HubFetch, HubFetchAnswer, HubFetchInit } from "./fetch-send.ts";
export { HubError } from "./hub-error.ts";
export type * from "./index.ts";
export { clusterApiPath, livePath } from "./places.ts";

/** A call for each operation, with the parameters of its path first and in their order. */
export interface WebClient
  extends Calls<typeof hubOperations>,
    Calls<typeof clusterOperations>,
    Calls<typeof signInOperations>,
    Calls<typeof subjectOperations>,
    Calls<typeof grantOperations>,
    Calls<typeof accessRequestOperations>,
    Calls<typeof inventoryOperations>,
    Calls<typeof fitnessOperations>,
    Calls<typeof profileOperations>,
    Calls<typeof gitopsOperations>,
    Calls<typeof applicationOperations>,
    Calls<typeof argoObjectOperations>,
    Calls<typeof rolloutOperations>,
    Calls<typeof scheduleOperations>,
    Calls<typeof stackOperations>,
    Calls<typeof templateOperations>,
    Omit<Calls<typeof auditOperations>, "streamAudit" | "readRecording">,
    Omit<Calls<typeof commandOperations>, "readCommandLog"> {
  /** The bytes of an answer to a GET as they come, such as a command's log. */
  readBytes(path: string, options?: CallOptions): AsyncIterable<Uint8Array>;
}

/** Every failure is a `HubError`, except that an aborted call rejects with its signal's reason. */
export function createWebClient(options: HubClientOptions): WebClient {
  const send = createSend(options);
  const sendForBytes = createSendForBytes(options);
  const calls = Object.entries(webOperations).map(([id, [method, path, takes, answered]]) => {
    return [id, createCall(send, { method, path, takes, answer: answered === "json" ? anyJson : undefined })];
  });
  const readBytes: WebClient["readBytes"] = (path, call) => sendForBytes({ ...call, method: "GET", path });
  return Object.assign(Object.fromEntries(calls), { readBytes }) as WebClient;
}

/** The path of an operation with its parameters and its query. */
export function pathOf<Id extends keyof typeof webOperations>(
  id: Id,
  ...params: PathArgument<(typeof webOperations)[Id][1]>
): string {
  return fillPath(webOperations[id][1], params[0] ?? {});
}

const anyJson: AnswerSchema<unknown> = {
  safeParse: (data) => (data === undefined ? { success: false } : { success: true, data }),
};
