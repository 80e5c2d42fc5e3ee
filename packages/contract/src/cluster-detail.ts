import { z } from "zod";
import { agentRefusalSchema, clusterShape } from "./cluster.ts";
import { clusterAlarmSchema } from "./cluster-alarm.ts";
import type { Infer } from "./infer.ts";
import { timestampSchema } from "./primitives.ts";
import { roleSchema } from "./role.ts";

export const clusterLinkSchema = z
  .object({
    id: z.string().describe("ID of the connection"),
    roles: z.array(roleSchema).describe("Roles that the agent serves over this connection"),
    connectedAt: timestampSchema.describe("RFC 3339 time at which the agent connected"),
    remoteAddress: z.string().describe("IP address that the hub sees the agent connect from"),
    agentInstanceId: z.string().optional().describe("ID of the agent process; a new one at each start"),
    agentVersion: z.string().optional().describe("Version of the agent"),
    certificateNotAfter: timestampSchema
      .optional()
      .describe(
        "RFC 3339 time at which the certificate that the agent authenticated with expires, or the end that a service mesh vouches for",
      ),
    refusal: agentRefusalSchema
      .optional()
      .describe("Why the hub sends no requests over this connection; absent where it does"),
  })
  .meta({ id: "ClusterLink", description: "A live connection of one agent process" });
export type ClusterLink = Infer<typeof clusterLinkSchema>;

export const clusterIdentitySchema = z
  .object({
    keyThumbprint: z.string().describe("SHA-256 of the public key (SPKI), in hexadecimal"),
    roles: z.array(roleSchema).describe("Roles that the hub certified the key for"),
    enrolledAt: timestampSchema.describe("RFC 3339 time of the enrollment"),
    serial: z.string().optional().describe("Serial number of the newest certificate"),
    notAfter: timestampSchema.optional().describe("RFC 3339 time at which the newest certificate expires"),
    revokedAt: timestampSchema
      .optional()
      .describe("RFC 3339 time at which the identity was revoked; absent while it is valid"),
  })
  .meta({ id: "ClusterIdentity", description: "A key that the hub has certified for a cluster" });
export type ClusterIdentity = Infer<typeof clusterIdentitySchema>;

export const clusterEventSchema = z
  .object({
    at: timestampSchema.describe("RFC 3339 time of the event"),
    level: z.enum(["info", "warning", "alarm"]).describe("Severity; events of level `alarm` also raise an alarm"),
    type: z.string().describe("Stable kebab-case type, such as `enrolled`, `connected` or `token-created`"),
    message: z.string().describe("What happened, for people"),
  })
  .meta({ id: "ClusterEvent", description: "An entry in the history of a cluster's connection" });
export type ClusterEvent = Infer<typeof clusterEventSchema>;
export type ClusterEventLevel = ClusterEvent["level"];

export const clusterDetailSchema = z
  .object({
    ...clusterShape,
    links: z.array(clusterLinkSchema).describe("Live connections of the cluster's agents"),
    identities: z.array(clusterIdentitySchema).describe("Keys that the hub has certified for the cluster"),
    alarms: z
      .array(clusterAlarmSchema)
      .optional()
      .describe("Alarms that nobody has marked as seen, latest first; absent from hubs of version 0.1"),
    events: z.array(clusterEventSchema).describe("The latest 50 events, newest first"),
  })
  .meta({ id: "ClusterDetail", description: "A cluster with its connections, identities, alarms and latest events" });
export type ClusterDetail = Infer<typeof clusterDetailSchema>;
