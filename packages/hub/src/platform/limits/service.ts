// How much one user, one cluster and all together may have in flight. Nothing waits in a queue: what is too much is told
// to come back, and clients of Kubernetes do so by themselves. Bytes aren't refused but slowed down.
import { type Clock, type FairleadError, systemClock } from "@fairlead/kernel";
import { type ApiLimitSettings, type ApiLimits, createApiLimits } from "./api.ts";
import { Bucket } from "./bucket.ts";
import { limitsErrors } from "./errors.ts";
import { shareOf } from "./share.ts";

/** The limits of users and clusters hold over all hubs together. */
export interface LimitSettings extends ApiLimitSettings {
  readonly userRequests: number;
  readonly userStreams: number;
  /** 0: as fast as it goes. */
  readonly userBytesPerSecond: number;
  readonly clusterRequests: number;
  readonly clusterStreams: number;
  readonly clusterBytesPerSecond: number;
  /** Bounds requests and streams together, over all clusters, at this hub. */
  readonly hubRequests: number;
}

export interface LimitRequest {
  readonly principal: string;
  readonly cluster: string;
  /** Counts as a stream: a watch, a followed log, an upgrade. */
  readonly isLong: boolean;
  /** The memory that its head takes while it is in flight, where that is much; 0 for nearly all. */
  readonly headBytes?: number;
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

export function createLimits(
  first: LimitSettings,
  options: {
    readonly clock?: Clock;
    /** How many share the limits of users and clusters, this one included. */
    readonly hubs?: () => number;
  } = {},
): Limits {
  const { clock = systemClock, hubs = () => 1 } = options;
  const settings: { -readonly [Name in keyof LimitSettings]: LimitSettings[Name] } = { ...first };
  const users = new Map<string, Usage>();
  const clusters = new Map<string, Usage>();
  const refused = new Map<string, number>();
  let total = 0;
  let totalHeadBytes = 0;
  let activeClusters = 0;

  return {
    admit,
    ...createApiLimits(settings, { hubs, onRefused: count }),
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

  function admit({ principal, cluster, isLong, headBytes = 0 }: LimitRequest): LimitLease {
    const user = users.get(principal) ?? createUsage(settings.userBytesPerSecond);
    const target = clusters.get(cluster) ?? createUsage(settings.clusterBytesPerSecond);
    const error = findExcess(user, target, { principal, cluster, isLong, headBytes });
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
    holdHead(headBytes);
    let isOver = false;
    return {
      pace(sizeBytes) {
        if (!user.bucket && !target.bucket) return 0;
        const nowMs = clock.steadyMs();
        const [ofUser, ofCluster] = [
          shareOfHub(settings.userBytesPerSecond),
          shareOfHub(settings.clusterBytesPerSecond),
        ];
        return Math.max(
          user.bucket?.take(sizeBytes, ofUser, nowMs) ?? 0,
          target.bucket?.take(sizeBytes, ofCluster, nowMs) ?? 0,
        );
      },
      release() {
        if (isOver) return;
        isOver = true;
        user[kind] -= 1;
        target[kind] -= 1;
        total -= 1;
        holdHead(-headBytes);
        if (target.requests + target.streams === 0) activeClusters -= 1;
        forget(users, principal, user);
        forget(clusters, cluster, target);
      },
    };

    function holdHead(changeBytes: number): void {
      user.headBytes += changeBytes;
      target.headBytes += changeBytes;
      totalHeadBytes += changeBytes;
    }
  }

  function findExcess(user: Usage, target: Usage, request: Required<LimitRequest>): FairleadError | undefined {
    const { principal, cluster, isLong, headBytes } = request;
    if (headBytes > 0) {
      if (user.headBytes + headBytes > mostHeadBytes.ofUser)
        return limitsErrors.LIMIT_USER_HEADERS({ name: principal });
      if (target.headBytes + headBytes > mostHeadBytes.ofCluster)
        return limitsErrors.LIMIT_CLUSTER_HEADERS({ cluster });
      if (totalHeadBytes + headBytes > mostHeadBytes.ofHub) return limitsErrors.LIMIT_HUB_BUSY({ cluster });
    }
    if (isLong) {
      const [ofUser, ofCluster] = [shareOfHub(settings.userStreams), shareOfHub(settings.clusterStreams)];
      if (user.streams >= ofUser) return limitsErrors.LIMIT_USER_STREAMS({ name: principal, limit: ofUser });
      if (target.streams >= ofCluster) return limitsErrors.LIMIT_CLUSTER_STREAMS({ cluster, limit: ofCluster });
    } else {
      const [ofUser, ofCluster] = [shareOfHub(settings.userRequests), shareOfHub(settings.clusterRequests)];
      if (user.requests >= ofUser) return limitsErrors.LIMIT_USER_REQUESTS({ name: principal, limit: ofUser });
      if (target.requests >= ofCluster) return limitsErrors.LIMIT_CLUSTER_REQUESTS({ cluster, limit: ofCluster });
    }
    // The first half is for whoever comes; of the second each cluster may add to no more than its share.
    const half = settings.hubRequests / 2;
    if (total < half) return undefined;
    const share = Math.max(1, half / Math.max(1, activeClusters));
    if (total >= settings.hubRequests || target.requests + target.streams >= share)
      return limitsErrors.LIMIT_HUB_BUSY({ cluster });
    return undefined;
  }

  function shareOfHub(limit: number): number {
    return shareOf(limit, hubs());
  }

  function count({ code }: FairleadError): void {
    refused.set(code, (refused.get(code) ?? 0) + 1);
  }

  function createUsage(bytesPerSecond: number): Usage {
    return {
      requests: 0,
      streams: 0,
      headBytes: 0,
      bucket: bytesPerSecond > 0 ? new Bucket(shareOfHub(bytesPerSecond), clock.steadyMs()) : undefined,
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
  headBytes: number;
  bucket: Bucket | undefined;
}

/** Each hub bounds its own memory, so they aren't shared by hubs. A cluster's are fewer than its link has room for. */
const mostHeadBytes = { ofUser: 16 * 1_048_576, ofCluster: 32 * 1_048_576, ofHub: 128 * 1_048_576 };
