import { z } from "zod";
import type { Infer } from "../infer.ts";
import { timestampSchema } from "../primitives.ts";

const auditWhoSchema = z
  .object({
    kind: z
      .string()
      .describe(
        "`admin-token`, `user` or `robot`; `unknown` without a known caller; `identity-provider` for what it reports itself; `hub` for actions on the hub's own machine or by a setting",
      ),
    name: z.string().describe("Name of the caller"),
    uid: z.string().optional().describe("ID of the caller, which stays the same when the name changes"),
    sessionId: z.string().optional().describe("ID of the caller's session. Absent without a session"),
  })
  .describe("Caller that sent the request");
export type AuditWho = Infer<typeof auditWhoSchema>;

const auditHeadSchema = z.object({
  chain: z.string().describe("Name of the chain; empty for the first one"),
  seq: z.int().describe("`seq` of the chain's newest record"),
  hash: z.string().describe("`hash` of the chain's newest record"),
  gone: z
    .boolean()
    .optional()
    .describe("Whether all records of the chain were deleted because of their age (default false)"),
});

export const auditRecordSchema = z
  .object({
    seq: z.int().describe("Number of the record in its chain. It rises by one from record to record, without gaps"),
    chain: z
      .string()
      .optional()
      .describe(
        "Chain of the record. Hubs that share a database have one each. Absent in the first chain, that of a hub with a database of its own",
      ),
    hub: z.string().optional().describe("Process of the hub that made the record"),
    at: timestampSchema.describe(
      "RFC 3339 time of the record: the beginning of the request in phase `start`, its end in phase `end`",
    ),
    phase: z
      .enum(["start", "end"])
      .describe("Whether the record was made when the request began (only for long or changing ones) or when it ended"),
    requestId: z.string().describe("ID of the request, the same in both of its records"),
    who: auditWhoSchema,
    actingAs: z
      .string()
      .optional()
      .describe("User that the caller impersonated (`--as`). Absent without impersonation"),
    from: z.string().describe("IP address that the request came from"),
    userAgent: z.string().optional().describe("User agent of the client"),
    cluster: z.string().optional().describe("Cluster that the request was for. Absent for a request to the hub itself"),
    method: z.string().describe("HTTP method"),
    verb: z.string().describe("Verb as in Kubernetes RBAC, for the hub's own API as well"),
    apiGroup: z.string().optional().describe("API group of the resource"),
    resource: z.string().optional().describe("Resource, in the plural, such as `pods`"),
    subresource: z.string().optional().describe("Subresource, such as `exec`"),
    namespace: z.string().optional().describe("Namespace of the request. Absent when it named none"),
    name: z.string().optional().describe("Name of the object. Absent when the request named none"),
    template: z
      .string()
      .optional()
      .describe(
        "Template that the request used, with its revision, such as `web@17`. The revision is absent when the template produced no command",
      ),
    path: z.string().describe("Path and query of the request. Query values that could be secret are masked"),
    status: z.int().optional().describe("HTTP status of the answer. Absent when the answer had begun and was cut"),
    code: z.string().optional().describe("Code of the hub's own error, as in docs/errors.md"),
    reason: z.string().optional().describe("Why the request was denied or cut, as far as the hub knows"),
    bytesToCluster: z.int().optional().describe("Bytes that were sent to the cluster"),
    bytesFromCluster: z.int().optional().describe("Bytes that came from the cluster"),
    durationMs: z.number().optional().describe("Duration of the request in milliseconds"),
    kubectlCommand: z.string().optional().describe("Command of kubectl that sent the request, as kubectl says"),
    kubectlSession: z.string().optional().describe("ID of the run of kubectl that sent the request, as kubectl says"),
    correlates: z
      .string()
      .optional()
      .describe(
        "ID of a denied request that this one repeats in another way, such as `exec` over SPDY after WebSocket failed",
      ),
    count: z
      .int()
      .optional()
      .describe("Number of similar denied requests that this record stands for. Absent for a single request"),
    heads: z
      .array(auditHeadSchema)
      .optional()
      .describe("Newest records of the other chains at that time. Present only in records that exist for this purpose"),
    hash: z.string().describe("SHA-256, in hexadecimal, of the previous record's hash and this record"),
  })
  .meta({
    id: "AuditRecord",
    description:
      "A request and how it ended. Requests that take long or change a cluster also have a record of phase `start`, with the same `requestId`",
  });
export type AuditRecord = Infer<typeof auditRecordSchema>;

export const auditListSchema = z
  .object({
    items: z.array(auditRecordSchema).describe("Records, newest first"),
    next: z.string().optional().describe("Cursor of the next page (older records). Absent on the last page"),
  })
  .meta({ id: "AuditList", description: "A page of audit records" });
export type AuditList = Infer<typeof auditListSchema>;

const chainVerificationSchema = z
  .object({
    chain: z.string().describe("Name of the chain; empty for the first one, that of a hub with a database of its own"),
    hub: z.string().optional().describe("Process of the hub that wrote to the chain last"),
    ok: z.boolean().describe("Whether every record of the chain is unchanged and none is missing"),
    problem: z
      .enum(["changed", "cut", "missing"])
      .optional()
      .describe(
        "`changed`: a record was changed or is missing; `cut`: the newest records are missing; `missing`: the whole chain is. Absent when the chain is intact",
      ),
    records: z.int().describe("Number of records in the chain"),
    firstSeq: z.int().describe("`seq` of the oldest record; 0 without records"),
    lastSeq: z.int().describe("`seq` of the newest record; 0 without records"),
    brokenAt: z.int().optional().describe("`seq` of the first record that was changed or is missing"),
    namedBy: z
      .string()
      .optional()
      .describe("Other chain whose record proves that this chain had more records than it has now"),
    headHash: z.string().describe("`hash` of the chain's newest record"),
  })
  .meta({ id: "ChainVerification", description: "Result of the verification of one hub's chain of records" });
export type ChainVerification = Infer<typeof chainVerificationSchema>;

export const auditVerificationSchema = z
  .object({
    ok: z.boolean().describe("Whether every record in every chain is unchanged and none is missing"),
    records: z.int().describe("Number of records in all chains"),
    firstSeq: z.int().describe("`seq` of the oldest record in the chain of the hub that answers; 0 without records"),
    lastSeq: z.int().describe("`seq` of the newest record in the chain of the hub that answers; 0 without records"),
    brokenAt: z
      .int()
      .optional()
      .describe("`seq` of the first record that was changed or is missing, in whichever chain. Absent without one"),
    chains: z
      .array(chainVerificationSchema)
      .optional()
      .describe("Result for each chain. Absent when only the first chain exists"),
    headHash: z
      .string()
      .describe(
        "`hash` of the newest record in the chain of the hub that answers. Keep it elsewhere: if the record of this `seq` later has another hash, the past was rewritten",
      ),
  })
  .meta({ id: "AuditVerification", description: "Result of the verification of all audit records" });
export type AuditVerification = Infer<typeof auditVerificationSchema>;
