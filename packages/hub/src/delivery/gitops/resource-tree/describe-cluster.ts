// Makes what Argo CD's list of clusters shows of one of ours (appv1.ClusterInfo), from what the hub knows and what the
// cluster's own Argo CD says of it. Pure.
import { z } from "zod";

export interface ClusterFacts {
  readonly connection: ClusterConnection;
  /** As the agent said last. */
  readonly kubernetesVersion: string | undefined;
  /** How many the hub knows of. */
  readonly applications: number;
}

/** Times are milliseconds since the epoch. */
export type ClusterConnection =
  | { readonly is: "here"; readonly sinceMs: number; readonly answer: InfoAnswer }
  | { readonly is: "away"; readonly sinceMs: number; readonly why: string };

/** The outcome of asking the cluster. */
export type InfoAnswer =
  | { readonly is: "said"; readonly info: ClusterInfo }
  /** The agent is there and says why it can't tell. */
  | { readonly is: "untold"; readonly why: string }
  | { readonly is: "silent" };

/** As Argo CD keeps it, in JSON. */
export interface ClusterInfo {
  readonly connectionState?: ConnectionState | undefined;
  readonly serverVersion?: string | undefined;
  readonly cacheInfo?: CacheInfo | undefined;
  readonly applicationsCount?: number | undefined;
  readonly apiVersions?: readonly string[] | undefined;
}

interface ConnectionState {
  readonly status?: string | undefined;
  readonly message?: string | undefined;
  readonly attemptedAt?: string | null | undefined;
}

interface CacheInfo {
  readonly resourcesCount?: number | undefined;
  readonly apisCount?: number | undefined;
  readonly lastCacheSyncTime?: string | null | undefined;
}

export function describeCluster({ connection, kubernetesVersion, applications }: ClusterFacts): ClusterInfo {
  const known = { serverVersion: kubernetesVersion ?? "", applicationsCount: applications };
  const { sinceMs } = connection;
  if (connection.is === "away") return { ...known, connectionState: failed(connection.why, sinceMs) };
  const { answer } = connection;
  switch (answer.is) {
    case "silent":
      return { ...known, connectionState: failed("The agent is connected and doesn't answer.", sinceMs) };
    case "untold":
      return { ...known, connectionState: { status: "Successful", message: answer.why, attemptedAt: toTime(sinceMs) } };
    case "said":
      return { ...known, ...withoutBlanks(answer.info), connectionState: judge(answer.info.connectionState, sinceMs) };
    default:
      return answer satisfies never;
  }
}

/** Throws for what isn't Argo CD's. */
export function readClusterInfo(text: string): ClusterInfo {
  return infoSchema.parse(JSON.parse(text));
}

/** The hub reaches the cluster. Only what its Argo CD has met there itself can be worse. */
function judge(own: ConnectionState | undefined, sinceMs: number): ConnectionState {
  if (own?.status === "Failed" || own?.status === "Degraded") return own;
  return { status: "Successful", message: "", attemptedAt: toTime(sinceMs) };
}

function withoutBlanks({ serverVersion, ...info }: ClusterInfo): ClusterInfo {
  return serverVersion ? { serverVersion, ...info } : info;
}

function failed(message: string, sinceMs: number): ConnectionState {
  return { status: "Failed", message, attemptedAt: toTime(sinceMs) };
}

/** As Kubernetes writes times. */
function toTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

const count = z.int().nonnegative();
const time = z.iso.datetime({ offset: true }).nullable();
const infoSchema: z.ZodType<ClusterInfo> = z.object({
  connectionState: z
    .object({ status: z.string().max(64), message: z.string(), attemptedAt: time })
    .partial()
    .optional(),
  serverVersion: z.string().max(256).optional(),
  cacheInfo: z.object({ resourcesCount: count, apisCount: count, lastCacheSyncTime: time }).partial().optional(),
  applicationsCount: count.optional(),
  apiVersions: z
    .array(z.string().max(512))
    .max(20_000)
    .nullable()
    .transform((all) => all ?? [])
    .optional(),
});
