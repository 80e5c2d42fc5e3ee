import { z } from "zod";
import { timestampSchema } from "../primitives.ts";

/** `unknown` for requests that nobody could be named for. */
export interface AuditWho {
  /**
   * `admin-token`, `user`, `robot`, `unknown`; `identity-provider` for what it tells the hub itself, and `hub` for what was
   * done on the hub's own machine or by a setting.
   */
  readonly kind: string;
  readonly name: string;
  readonly uid?: string | undefined;
  readonly sessionId?: string | undefined;
}

/**
 * A request and how it ended. Long ones (watches, `logs -f`, exec …) have a second record, of the phase `start`,
 * written when they begin; both share `requestId`.
 */
export interface AuditRecord {
  /** Counts up by one from record to record of a chain, without gaps. */
  readonly seq: number;
  /** Each of several hubs on a database has one. Absent in the first, that of a hub which has its database alone. */
  readonly chain?: string | undefined;
  /** The hub's process that made the record. */
  readonly hub?: string | undefined;
  /** When this record was made: the beginning for the phase `start`, the end for `end`. */
  readonly at: string;
  readonly phase: "start" | "end";
  readonly requestId: string;
  readonly who: AuditWho;
  /** The user asked for with `--as`. */
  readonly actingAs?: string | undefined;
  /** The address that the request came from. */
  readonly from: string;
  readonly userAgent?: string | undefined;
  /** Absent for what is about the hub alone. */
  readonly cluster?: string | undefined;
  readonly method: string;
  /** As RBAC has it; for the hub's own API likewise. */
  readonly verb: string;
  readonly apiGroup?: string | undefined;
  readonly resource?: string | undefined;
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** The template that was used to ask for it, with its revision: `web@17`; without one when it came to nothing. */
  readonly template?: string | undefined;
  /** Values of the query that could be someone's secret are masked. */
  readonly path: string;
  /** Absent when the answer had begun and was cut. */
  readonly status?: number | undefined;
  /** The code of the hub's own error, as in docs/errors.md. */
  readonly code?: string | undefined;
  /** Why it was refused or cut, as far as the hub knows. */
  readonly reason?: string | undefined;
  readonly bytesToCluster?: number | undefined;
  readonly bytesFromCluster?: number | undefined;
  readonly durationMs?: number | undefined;
  readonly kubectlCommand?: string | undefined;
  readonly kubectlSession?: string | undefined;
  /** Id of the refused request that this one tries again in another way (exec over WebSocket, then SPDY). */
  readonly correlates?: string | undefined;
  /** How many like requests of unknown callers this record stands for. */
  readonly count?: number | undefined;
  /** The newest records of other chains at that time; only in records that are about these alone. */
  readonly heads?: readonly AuditHead[] | undefined;
  /** SHA-256 over the record before this one and this one. */
  readonly hash: string;
}

export interface AuditHead {
  readonly chain: string;
  readonly seq: number;
  readonly hash: string;
  /** All its records were deleted because of their age. */
  readonly gone?: boolean | undefined;
}

export const auditRecordSchema: z.ZodType<AuditRecord> = z
  .object({
    seq: z.int(),
    chain: z.string().optional(),
    hub: z.string().optional(),
    at: timestampSchema,
    phase: z.enum(["start", "end"]),
    requestId: z.string(),
    who: z.object({
      kind: z.string(),
      name: z.string(),
      uid: z.string().optional(),
      sessionId: z.string().optional(),
    }),
    actingAs: z.string().optional(),
    from: z.string(),
    userAgent: z.string().optional(),
    cluster: z.string().optional(),
    method: z.string(),
    verb: z.string(),
    apiGroup: z.string().optional(),
    resource: z.string().optional(),
    subresource: z.string().optional(),
    namespace: z.string().optional(),
    name: z.string().optional(),
    template: z.string().optional(),
    path: z.string(),
    status: z.int().optional(),
    code: z.string().optional(),
    reason: z.string().optional(),
    bytesToCluster: z.int().optional(),
    bytesFromCluster: z.int().optional(),
    durationMs: z.number().optional(),
    kubectlCommand: z.string().optional(),
    kubectlSession: z.string().optional(),
    correlates: z.string().optional(),
    count: z.int().optional(),
    heads: z
      .array(z.object({ chain: z.string(), seq: z.int(), hash: z.string(), gone: z.boolean().optional() }))
      .optional(),
    hash: z.string(),
  })
  .meta({ id: "AuditRecord" });

export interface AuditList {
  /** Newest first. */
  readonly items: AuditRecord[];
  /** For the page after this one (older records); absent on the last. */
  readonly next?: string | undefined;
}

export const auditListSchema: z.ZodType<AuditList> = z
  .object({ items: z.array(auditRecordSchema), next: z.string().optional() })
  .meta({ id: "AuditList" });

export interface AuditVerification {
  /** True when every record that is kept has its hash, and each follows on the one before it. */
  readonly ok: boolean;
  /** Covers all chains. The numbers below describe the asked hub's own chain. */
  readonly records: number;
  /** 0 when nothing is recorded. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The first record that isn't as it was written, or that is missing, in whichever chain. */
  readonly brokenAt?: number | undefined;
  /** Absent when there is none but the first. */
  readonly chains?: readonly ChainVerification[] | undefined;
  /** Keep it elsewhere: a record of the same `seq` with another hash later on says that the past was rewritten. */
  readonly headHash: string;
}

/** The result for one hub's chain of records. */
export interface ChainVerification {
  /** Empty for the first, that of a hub which has its database alone. */
  readonly chain: string;
  /** The process that wrote to it last. */
  readonly hub?: string | undefined;
  readonly ok: boolean;
  /** `changed`: a record isn't as it was written, or is missing. `cut`: the newest are missing. `missing`: all of it is. */
  readonly problem?: "changed" | "cut" | "missing" | undefined;
  readonly records: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly brokenAt?: number | undefined;
  /** The chain whose record says that there were more. */
  readonly namedBy?: string | undefined;
  readonly headHash: string;
}

const chainVerificationSchema: z.ZodType<ChainVerification> = z
  .object({
    chain: z.string(),
    hub: z.string().optional(),
    ok: z.boolean(),
    problem: z.enum(["changed", "cut", "missing"]).optional(),
    records: z.int(),
    firstSeq: z.int(),
    lastSeq: z.int(),
    brokenAt: z.int().optional(),
    namedBy: z.string().optional(),
    headHash: z.string(),
  })
  .meta({ id: "ChainVerification" });

export const auditVerificationSchema: z.ZodType<AuditVerification> = z
  .object({
    ok: z.boolean(),
    records: z.int(),
    firstSeq: z.int(),
    lastSeq: z.int(),
    brokenAt: z.int().optional(),
    chains: z.array(chainVerificationSchema).optional(),
    headHash: z.string(),
  })
  .meta({ id: "AuditVerification" });
