// The way of commands' programs out of the cluster: an HTTP proxy of the agent on loopback, which each run uses by a key
// of its own. Hosts are judged by the policy of this cluster, and addresses by what no program may reach. A redirect is a
// request of its own, and is judged like any other.

import { lookup } from "node:dns/promises";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { type Clock, onAbort, systemClock } from "@fairlead/kernel";
import { nodeHttp } from "@fairlead/protocol";
import type { PolicyKeeper } from "../../policy/index.ts";
import { boundStrangers } from "../bound-strangers.ts";
import { createPasses, type EgressRun } from "./passes.ts";
import { serveConnect } from "./serve-connect.ts";
import { serveRequest } from "./serve-request.ts";
import type { EgressLimits, Serving } from "./serving.ts";

export interface Egress extends AsyncDisposable {
  /** On loopback; programs need no other way out. */
  readonly port: number;
  /** The pass ends what is under way when it is disposed of. */
  admit(run: EgressRun): EgressPass;
  /** Another policy is in force: what it forbids doesn't go on. */
  judgeAgain(): void;
}

export interface EgressPass extends Disposable {
  readonly port: number;
  /** With the key, for HTTPS_PROXY and HTTP_PROXY. */
  readonly url: string;
  /** Nobody else's business. */
  readonly key: string;
}

export async function openEgress(options: {
  readonly judgeHost: PolicyKeeper["judgeHost"];
  /** The agent's own variables: its HTTPS_PROXY and NO_PROXY hold here, too. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the agent itself listens, besides this proxy. */
  readonly ownPorts?: (() => readonly number[]) | undefined;
  readonly proxyCa?: readonly string[] | undefined;
  /** Ends the proxy. */
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
  readonly limits?: Partial<EgressLimits> | undefined;
  readonly resolve?: ((host: string) => Promise<readonly string[]>) | undefined;
  readonly ownAddresses?: (() => readonly string[]) | undefined;
}): Promise<Egress> {
  const { judgeHost, environment, ownPorts = () => [], proxyCa = [], signal, clock = systemClock } = options;
  const { resolve = resolveAll, ownAddresses = addressesOfMachine } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const passes = createPasses(limits);
  const server = nodeHttp.createServer({ headersTimeout: 30_000, requestTimeout: 0, keepAliveTimeout: 60_000 });
  const strangers = boundStrangers(server, limits.strangers);
  await new Promise<void>((done, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port: 0 }, done);
  });
  const { port } = server.address() as AddressInfo;
  const serving: Serving = {
    passes,
    judgeHost,
    limits,
    clock,
    strangers,
    onward: () => ({
      resolve,
      environment,
      proxyCa,
      ownAddresses: ownAddresses(),
      ownPorts: [port, ...ownPorts()],
    }),
  };
  server.on("request", (request, response) => serveRequest(serving, request, response));
  server.on("connect", (request, socket, head) => serveConnect(serving, request, socket, head));
  const close = async (): Promise<void> => {
    passes.revokeAll();
    server.closeAllConnections();
    if (server.listening) await new Promise<void>((done) => server.close(() => done()));
  };
  const ending = signal && onAbort(signal, () => void close());
  return {
    port,
    admit(run) {
      const { key, revoke } = passes.issue(run);
      return { key, port, url: `http://run:${key}@127.0.0.1:${port}`, [Symbol.dispose]: revoke };
    },
    judgeAgain() {
      passes.endThose((target) => !judgeHost(target).allowed);
    },
    async [Symbol.asyncDispose]() {
      ending?.[Symbol.dispose]();
      await close();
    },
  };
}

async function resolveAll(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true, order: "verbatim" })).map(({ address }) => address);
}

function addressesOfMachine(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((found) => found?.map(({ address }) => address) ?? []);
}

const defaultLimits: EgressLimits = {
  perRun: 64,
  inAll: 256,
  strangers: 512,
  connectMs: 30_000,
  idleMs: 5 * 60_000,
};
