// How much one user, one cluster and all together may have in flight. Nothing waits in a queue: what is too much is told
// to come back, and clients of Kubernetes do so by themselves. Bytes aren't refused but slowed down.
import { type Clock, type FairleadError, systemClock } from "@fairlead/kernel";
import { type ApiLimitSettings, type ApiLimits, createApiLimits } from "./api.ts";
import { Bucket } from "./bucket.ts";
import { limitsErrors } from "./errors.ts";

export interface LimitSettings extends ApiLimitSettings {
  readonly userRequests: number;
  readonly userStreams: number;
  /** 0: as fast as it goes. */
  readonly userBytesPerSecond: number;
  readonly clusterRequests: number;
  readonly clusterStreams: number;
  readonly clusterBytesPerSecond: number;
  /** Bounds requests and streams together, over all clusters. */
  readonly hubRequests: number;
}

export interface LimitRequest {
  readonly principal: string;
  readonly cluster: string;
  /** Counts as a stream: a watch, a followed log, an upgrade. */
  readonly isLong: boolean;
}

export interface LimitLease {
  /** Milliseconds to wait before more is read; 0: go on. */
  pace(sizeBytes: number): number;
  /** Once the request is over; later calls do nothing. */
  release(): void;
}

export interface Limits extends ApiLimits {
  /** Throws LIMIT_… (429). */
  admit(request: LimitRequest): LimitLease;
  /** Refusals by code. */
  readonly refused: ReadonlyMap<string, number>;
  readonly inFlight: number;
  /** From now on; what is in flight stays. */
  settle(settings: LimitSettings): void;
}

export function createLimits(first: LimitSettings, clock: Clock = systemClock): Limits {
  const settings: { -readonly [Name in keyof LimitSettings]: LimitSettings[Name] } = { ...first };
  const users = new Map<string, Usage>();
  const clusters = new Map<string, Usage>();
  const refused = new Map<string, number>();
  let total = 0;
  let activeClusters = 0;

  return {
    admit,
    ...createApiLimits(settings, { onRefused: count }),
    refused,
    get inFlight() {
      return total;
    },
    settle(next) {
      const { userBytesPerSecond, clusterBytesPerSecond } = settings;
      Object.assign(settings, next);
      if (next.userBytesPerSecond !== userBytesPerSecond) pour(users, next.userBytesPerSecond);
      if (next.clusterBytesPerSecond !== clusterBytesPerSecond) pour(clusters, next.clusterBytesPerSecond);
    },
  };

  function pour(usages: Map<string, Usage>, bytesPerSecond: number): void {
    for (const [name, usage] of usages) {
      usage.bucket = createUsage(bytesPerSecond).bucket;
      forget(usages, name, usage);
    }
  }

  function admit({ principal, cluster, isLong }: LimitRequest): LimitLease {
    const user = users.get(principal) ?? createUsage(settings.userBytesPerSecond);
    const target = clusters.get(cluster) ?? createUsage(settings.clusterBytesPerSecond);
    const error = findExcess(user, target, { principal, cluster, isLong });
    if (error) {
      count(error);
      throw error;
    }
    const kind = isLong ? "streams" : "requests";
    users.set(principal, user);
    clusters.set(cluster, target);
    if (target.requests + target.streams === 0) activeClusters += 1;
    user[kind] += 1;
    target[kind] += 1;
    total += 1;
    let isOver = false;
    return {
      pace(sizeBytes) {
        if (!user.bucket && !target.bucket) return 0;
        const nowMs = clock.now();
        return Math.max(user.bucket?.take(sizeBytes, nowMs) ?? 0, target.bucket?.take(sizeBytes, nowMs) ?? 0);
      },
      release() {
        if (isOver) return;
        isOver = true;
        user[kind] -= 1;
        target[kind] -= 1;
        total -= 1;
        if (target.requests + target.streams === 0) activeClusters -= 1;
        forget(users, principal, user);
        forget(clusters, cluster, target);
      },
    };
  }

  function findExcess(user: Usage, target: Usage, request: LimitRequest): FairleadError | undefined {
    const { principal, cluster, isLong } = request;
    if (isLong) {
      if (user.streams >= settings.userStreams)
        return limitsErrors.LIMIT_USER_STREAMS({ name: principal, limit: settings.userStreams });
      if (target.streams >= settings.clusterStreams)
        return limitsErrors.LIMIT_CLUSTER_STREAMS({ cluster, limit: settings.clusterStreams });
    } else {
      if (user.requests >= settings.userRequests)
        return limitsErrors.LIMIT_USER_REQUESTS({ name: principal, limit: settings.userRequests });
      if (target.requests >= settings.clusterRequests)
        return limitsErrors.LIMIT_CLUSTER_REQUESTS({ cluster, limit: settings.clusterRequests });
    }
    // The first half is for whoever comes; of the second each cluster may add to no more than its share.
    const half = settings.hubRequests / 2;
    if (total < half) return undefined;
    const share = Math.max(1, half / Math.max(1, activeClusters));
    if (total >= settings.hubRequests || target.requests + target.streams >= share)
      return limitsErrors.LIMIT_HUB_BUSY({ cluster });
    return undefined;
  }

  function count({ code }: FairleadError): void {
    refused.set(code, (refused.get(code) ?? 0) + 1);
  }

  function createUsage(bytesPerSecond: number): Usage {
    return {
      ...{ requests: 0, streams: 0 },
      bucket: bytesPerSecond > 0 ? new Bucket(bytesPerSecond, clock.now()) : undefined,
    };
  }
}

/** A bucket is kept: its debt would be gone with it. There are no more of them than users and clusters. */
function forget(usages: Map<string, Usage>, name: string, usage: Usage): void {
  if (usage.requests + usage.streams === 0 && !usage.bucket) usages.delete(name);
}

interface Usage {
  requests: number;
  streams: number;
  bucket: Bucket | undefined;
}
