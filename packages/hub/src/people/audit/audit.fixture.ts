// The audit room on a store in memory, and what goes into it.
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import type { HubFetch } from "@fairlead/contract";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Store } from "../../platform/store/index.ts";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import { createLogger } from "../../platform/telemetry/index.ts";
import { type Audit, openAudit } from "./index.ts";
import type { AuditOptions } from "./service.ts";
import type { AuditOutcome, AuditStart } from "./types.ts";

export const done: AuditOutcome = { status: 200, bytesToCluster: 1, bytesFromCluster: 2, durationMs: 3.04 };

export function startOf(change: Partial<AuditStart> = {}): AuditStart {
  return {
    requestId: "req-1",
    at: Date.UTC(2030, 0, 1),
    principal: { kind: "user", name: "alice@example.com", uid: "u1", sessionId: "ses_1" },
    remoteAddress: "192.0.2.7",
    userAgent: "kubectl/v1.36.0",
    cluster: "east",
    method: "GET",
    path: "/api/v1/namespaces/a/pods",
    attributes: { verb: "list", apiGroup: "", resource: "pods", subresource: "", namespace: "a", name: "" },
    isLong: false,
    ...change,
  };
}

export const unknown: Partial<AuditStart> = { principal: undefined };

export function createTestLog(): { readonly log: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  return {
    lines,
    log: createLogger({ level: "info", name: "t", destination: { write: (line) => void lines.push(line) } }),
  };
}

export interface AuditHarness {
  readonly store: Store;
  open(options?: Partial<AuditOptions>): Promise<Audit>;
  /** As after the first start. */
  forgetRecords(): Promise<void>;
}

/** For all tests of the file that calls it, each with no records: a store for each would cost half a second. */
export function useAuditHarness(): AuditHarness {
  let store: Store;
  beforeAll(async () => {
    store = await openMemoryStore();
  }, 60_000);
  afterAll(async () => await store[Symbol.asyncDispose]());
  beforeEach(forgetRecords);
  return {
    get store() {
      return store;
    },
    open: (options = {}) => openAudit({ db: store.db, log: createTestLog().log, ...options }),
    forgetRecords,
  };

  async function forgetRecords(): Promise<void> {
    for (const table of ["audit_block", "audit_chain", "audit_chain_block"])
      await sql`delete from ${sql.table(table)}`.execute(store.db);
    const zeros = "0".repeat(64);
    await sql`update audit_head set last_seq = 0, last_hash = ${zeros}, anchor_seq = 0, anchor_hash = ${zeros}`.execute(
      store.db,
    );
  }
}

/** For the contract's client, to a hub whose certificate nobody here knows. */
export const fetchFromHub: HubFetch = async (url, { method, headers, body, signal, stream }) => {
  const agent = new Agent({ keepAlive: false, rejectUnauthorized: false });
  const sent = request(url, { agent, method, headers, ...(signal && { signal }) });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const text = stream && response.statusCode === 200 ? "" : Buffer.concat(await response.toArray()).toString();
  return { status: response.statusCode ?? 0, body: response, text: () => Promise.resolve(text) };
};
