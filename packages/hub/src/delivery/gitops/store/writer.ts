// Writes to the store. Each is decided by the object as it was read, and commits only if nobody wrote that meanwhile.
import { randomUUID } from "node:crypto";
import type { Clock } from "@fairlead/kernel";
import type { GitopsKind, GitopsObject } from "@fairlead/protocol";
import type { Kysely } from "kysely";
import type { Changes } from "../../../platform/changes/index.ts";
import type { Tables } from "../../../platform/store/index.ts";
import type { HubObjectName, HubObjects, HubRemoval, HubWrite, HubWriteResult } from "../types.ts";
import type { BodySeal } from "./body-seal.ts";
import { commitWrite } from "./commit-write.ts";
import { decideRemoval, decideWrite, type WriteDecision } from "./decide-write.ts";
import { findRow, objectsTopic, toStoredObject } from "./rows.ts";
import type { StoreLimits } from "./types.ts";

export function createStoreWriter(options: {
  readonly db: Kysely<Tables>;
  readonly changes: Pick<Changes, "raise" | "hint">;
  readonly seal: BodySeal;
  readonly kinds: ReadonlySet<GitopsKind>;
  readonly limits: StoreLimits;
  readonly clock: Clock;
}): Pick<HubObjects, "writeContent" | "writeStatus" | "writeFinalizers" | "remove"> {
  const { db, changes, seal, kinds, limits, clock } = options;
  return {
    writeContent: (asked) => write(asked, true),
    writeStatus: (asked) => write(asked, false),
    writeFinalizers: (asked) => write(asked, false),
    remove,
  };

  async function write({ kind, object: wanted, fence, signal }: HubWrite, mayCreate: boolean): Promise<HubWriteResult> {
    if (!kinds.has(kind)) return noKind;
    const { namespace, name } = wanted.metadata;
    const there = await read({ kind, namespace, name }, signal);
    const decision = decideWrite({ kind, wanted, there, mayCreate, newUid: randomUUID, nowMs: clock.now() });
    return await carryOut(decision, { kind, there, fence });
  }

  /** Tries again when somebody else writes meanwhile, because the object is to go in any case. */
  async function remove({ kind, namespace, name, uid, fence, signal }: HubRemoval): Promise<HubWriteResult> {
    for (;;) {
      const there = await read({ kind, namespace, name }, signal);
      if (there?.metadata.uid !== uid) return { is: "missing" };
      const decision = decideRemoval(there, clock.now());
      if (decision === undefined) return removed;
      const result = await carryOut(decision, { kind, there, fence });
      if (result.is === "written") return removed;
      if (result.is !== "conflict") return result;
    }
  }

  async function read(object: HubObjectName, signal: AbortSignal): Promise<GitopsObject | undefined> {
    signal.throwIfAborted();
    const row = await findRow(db, object);
    signal.throwIfAborted();
    return row && toStoredObject(row, seal).object;
  }

  async function carryOut(
    decision: WriteDecision,
    { kind, there, fence }: Pick<HubWrite, "kind" | "fence"> & { readonly there: GitopsObject | undefined },
  ): Promise<HubWriteResult> {
    if (decision.is === "answer") return decision.result;
    const { object } = decision;
    const json = decision.is === "delete" ? "" : JSON.stringify(object);
    const sizeBytes = Buffer.byteLength(json);
    if (sizeBytes > limits.maxObjectBytes(kind)) return tooLarge(sizeBytes, limits.maxObjectBytes(kind));
    const { uid = "" } = object.metadata;
    const body = decision.is === "delete" ? undefined : { text: seal.close(json, { kind, uid }), sizeBytes };
    const { namespace, name, resourceVersion: before } = (there ?? object).metadata;
    const result = await db.transaction().execute(async (trx) => {
      await changes.raise(trx, objectsTopic);
      const place = { kind, namespace, name, uid, before };
      return await commitWrite(trx, { ...place, body, fence, limits, at: new Date(clock.now()) });
    });
    if (result.is !== "written") return result;
    changes.hint(objectsTopic);
    const metadata = { ...object.metadata, resourceVersion: result.revision };
    return { is: "written", object: { ...object, metadata } };
  }
}

function tooLarge(sizeBytes: number, maxBytes: number): HubWriteResult {
  const message = `The object has ${sizeBytes} bytes as JSON; the limit is ${maxBytes} bytes.`;
  return { is: "refused", refusal: { reason: "too-large", message, retryAfterMs: 0 } };
}

const removed: HubWriteResult = { is: "written", object: undefined };
const noKind: HubWriteResult = {
  is: "refused",
  refusal: {
    reason: "no-kind",
    message: "This hub can't store such objects: Secrets of repositories require a key encryption key.",
    retryAfterMs: 0,
  },
};
