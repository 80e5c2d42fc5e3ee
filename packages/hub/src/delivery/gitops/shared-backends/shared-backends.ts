// Lets the Argo CD of clusters use a Redis and a repo-server beside the hub: connections of theirs come over the link, and
// go to what the hub's administrator named. Nothing an agent says chooses a target, and bytes pass as they are.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Code, ConnectError } from "@connectrpc/connect";
import { type Clock, orAbort, reasonOf } from "@fairlead/kernel";
import { SharedBackend, SharedBackendService } from "@fairlead/protocol";
import type { HubConfig } from "../../../platform/config/index.ts";
import { type AddServices, type CallingAgent, toRpcError } from "../../../reach/links/index.ts";
import { sharedBackendErrors } from "./errors.ts";

export interface SharedTargets {
  /** Each of one cluster. */
  readonly redis: ((cluster: string) => BackendAddress) | undefined;
  readonly repoServer: ((cluster: string) => BackendAddress) | undefined;
  readonly isSharedWith: (cluster: string) => boolean;
}

interface BackendAddress {
  readonly host: string;
  readonly port: number;
}

export interface SharedBackends {
  readonly addServices: AddServices;
  /** How many connections the cluster's agents may have at once, each a call. */
  mostCalls(cluster: string): number;
}

export function createSharedBackends({ targets, clock }: SharedBackendsOptions): SharedBackends {
  const byCluster = new Map<string, number>();
  return {
    addServices: (router, peer) =>
      router.service(SharedBackendService, {
        async *connect(requests, { signal }) {
          try {
            yield* serve(requests, peer(), signal);
          } catch (error) {
            throw error instanceof ConnectError ? error : toRpcError(error);
          }
        },
      }),
    mostCalls: (cluster) => (targets.isSharedWith(cluster) ? mostOfCluster : 0),
  };

  async function* serve(
    requests: AsyncIterable<Piece>,
    agent: CallingAgent,
    signal: AbortSignal,
  ): AsyncGenerator<Data> {
    const { cluster } = agent;
    const pieces = requests[Symbol.asyncIterator]();
    const first = await pieces.next();
    const backend = first.done ? SharedBackend.UNSPECIFIED : first.value.backend;
    const address = choose(agent, backend);
    using _place = enter(cluster);
    const socket = await dial(address, backend, signal);
    using undo = new DisposableStack();
    const close = (): void => void socket.destroy();
    undo.defer(close);
    signal.addEventListener("abort", close, { once: true });
    undo.defer(() => signal.removeEventListener("abort", close));
    yield {};
    // A client that breaks off, or bytes that can't be written, end the connection as a whole.
    send(pieces, socket, signal).catch(close);
    for await (const data of socket as AsyncIterable<Buffer>) yield { data };
  }

  /** Throws SHARED_BACKEND_CLOSED. */
  function choose({ cluster, roles, refusal }: CallingAgent, backend: SharedBackend): BackendAddress {
    if (!roles.includes("gitops"))
      throw new ConnectError("This identity hasn't the role gitops.", Code.PermissionDenied);
    const address = !refusal && targets.isSharedWith(cluster) ? addressOf(targets, { backend, cluster }) : undefined;
    if (!address) throw sharedBackendErrors.SHARED_BACKEND_CLOSED({ cluster, backend: nameOf(backend) });
    return address;
  }

  function enter(cluster: string): Disposable {
    const taken = byCluster.get(cluster) ?? 0;
    if (taken >= mostOfCluster) throw sharedBackendErrors.SHARED_BACKEND_BUSY({ cluster, most: mostOfCluster });
    byCluster.set(cluster, taken + 1);
    return {
      [Symbol.dispose]() {
        const left = (byCluster.get(cluster) ?? 1) - 1;
        if (left > 0) byCluster.set(cluster, left);
        else byCluster.delete(cluster);
      },
    };
  }

  /** Throws SHARED_BACKEND_UNREACHABLE. */
  async function dial({ host, port }: BackendAddress, backend: SharedBackend, signal: AbortSignal): Promise<Socket> {
    const socket = connect({ host, port, allowHalfOpen: true });
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 60_000);
    // Reads and writes fail by themselves.
    socket.on("error", () => undefined);
    const cancel = clock.after(dialMs, () => socket.destroy(new Error("it doesn't answer")));
    try {
      await orAbort(once(socket, "connect"), signal);
      return socket;
    } catch (error) {
      socket.destroy();
      const reason = reasonOf(error);
      throw sharedBackendErrors.SHARED_BACKEND_UNREACHABLE({ backend: nameOf(backend), reason, cause: error });
    } finally {
      cancel();
    }
  }
}

/** Undefined: the hub shares nothing. */
export function readSharedTargets(config: SharedConfig): SharedTargets | undefined {
  const { argoSharedRedis: redis, argoSharedRepoServer: repoServer, argoShareWith: names } = config;
  if (redis === undefined && repoServer === undefined) return undefined;
  return {
    redis: redis === undefined ? undefined : (cluster) => parseTarget(redis, cluster),
    repoServer: repoServer === undefined ? undefined : (cluster) => parseTarget(repoServer, cluster),
    isSharedWith: (cluster) => names.includes("*") || names.includes(cluster),
  };
}

async function send(pieces: AsyncIterator<Piece>, socket: Socket, signal: AbortSignal): Promise<void> {
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    const { data } = next.value;
    if (data.byteLength > 0 && !socket.write(data)) await orAbort(once(socket, "drain"), signal);
  }
  socket.end();
}

function addressOf(
  { redis, repoServer }: SharedTargets,
  { backend, cluster }: { readonly backend: SharedBackend; readonly cluster: string },
): BackendAddress | undefined {
  switch (backend) {
    case SharedBackend.REDIS:
      return redis?.(cluster);
    case SharedBackend.REPO_SERVER:
      return repoServer?.(cluster);
    case SharedBackend.UNSPECIFIED:
      return undefined;
    // A newer agent's.
    default:
      return undefined;
  }
}

function nameOf(backend: SharedBackend): string {
  if (backend === SharedBackend.REDIS) return "Redis";
  return backend === SharedBackend.REPO_SERVER ? "repo-server" : "backend of that kind";
}

/** A cluster's name is a label, so that it can change nothing else of the address. */
function parseTarget(template: string, cluster: string): BackendAddress {
  const text = template.replaceAll("{cluster}", cluster);
  const at = text.lastIndexOf(":");
  return { host: text.slice(0, at).replace(/^\[|\]$/g, ""), port: Number(text.slice(at + 1)) };
}

interface SharedBackendsOptions {
  readonly targets: SharedTargets;
  readonly clock: Clock;
}

type SharedConfig = Pick<HubConfig, "argoSharedRedis" | "argoSharedRepoServer" | "argoShareWith">;

interface Piece {
  readonly backend: SharedBackend;
  readonly data: Uint8Array;
}

interface Data {
  readonly data?: Uint8Array;
}

/** Together they take a quarter of the credit of its link. */
const mostOfCluster = 64;
const dialMs = 10_000;
