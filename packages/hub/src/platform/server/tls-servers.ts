// The two servers and where their certificates come from; new ones are taken over without a restart.
import type { Server } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { Clock } from "@fairlead/kernel";
import type { HubConfig } from "../config/index.ts";
import { keepServerCertificate, type Pki } from "../pki/index.ts";
import type { Logger } from "../telemetry/index.ts";
import type { ConnectionBound } from "./connection-bound.ts";
import { createListener, createPlainListener, type HeadLimits, headsOfAgents } from "./listener.ts";
import { createTrustedProxies } from "./remote-address.ts";
import { type KeyPair, watchTlsFiles } from "./tls-files.ts";

export interface TlsServer extends Disposable {
  readonly server: Server;
  /** Milliseconds since the epoch; a certificate from files is its owner's affair. */
  expiresAt(): number;
}

interface TlsOptions {
  readonly config: HubConfig;
  readonly pki: Pki;
  readonly names: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}

export async function openPeopleServer(options: TlsOptions): Promise<TlsServer> {
  const { config, log } = options;
  const { tlsCertFile: certFile, tlsKeyFile: keyFile } = config;
  const base = { minVersion: "TLSv1.2" as const };
  if (certFile === undefined || keyFile === undefined) return await openOwn(options, base, { requestTimeoutMs: 0 });
  const files = await watchTlsFiles({
    certFile,
    keyFile,
    onChanged(pair) {
      server.setSecureContext({ ...base, ...toContext(pair) });
      log.info({ certFile }, "certificate reloaded");
    },
    onError: (error) => log.error({ err: error }, "the new certificate can't be used; the old one stays"),
  });
  const bound = toBound(options, "people");
  const server = createListener({ tls: { ...base, ...toContext(files.first) }, requestTimeoutMs: 0, bound });
  return { server, expiresAt: () => Number.POSITIVE_INFINITY, [Symbol.dispose]: () => files[Symbol.dispose]() };
}

/**
 * Asks for a client certificate and leaves the judgement to the links: enrollment comes without one. Where a mesh vouches
 * for agents only other hubs bring one.
 */
export async function openAgentServer(options: TlsOptions): Promise<TlsServer> {
  const { meshIdentityHeader, meshIdentityPlaintext, hubAddress } = options.config;
  const limits = { requestTimeoutMs: 30_000, heads: headsOfAgents };
  if (meshIdentityPlaintext) return openPlain(options, limits);
  const requestCert = meshIdentityHeader === undefined || hubAddress !== undefined;
  const base = {
    minVersion: "TLSv1.3" as const,
    requestCert,
    rejectUnauthorized: false,
    // Read anew each time: another one may come beside it.
    get ca() {
      return options.pki.caPem;
    },
  };
  return await openOwn(options, base, limits);
}

function openPlain(options: TlsOptions, limits: { readonly requestTimeoutMs: number; readonly heads: HeadLimits }) {
  const server = createPlainListener({ ...limits, bound: toBound(options, "agents") });
  return { server, expiresAt: () => Number.POSITIVE_INFINITY, [Symbol.dispose]: () => undefined };
}

async function openOwn(
  options: TlsOptions,
  base: {
    readonly minVersion: "TLSv1.2" | "TLSv1.3";
    readonly ca?: string;
    requestCert?: boolean;
    rejectUnauthorized?: boolean;
  },
  limits: { readonly requestTimeoutMs: number; readonly heads?: HeadLimits },
): Promise<TlsServer> {
  const { pki, names, clock, log } = options;
  const kept = await keepServerCertificate({
    pki,
    names,
    clock,
    onRenewed: (pair) => server.setSecureContext({ ...base, ...toContext(pair) }),
    onError: (error) => log.error({ err: error }, "can't renew the hub's own certificate"),
  });
  const bound = toBound(options, base.requestCert === undefined ? "people" : "agents");
  const server: HttpsServer = createListener({ tls: { ...base, ...toContext(kept.current()) }, ...limits, bound });
  return { server, expiresAt: () => kept.current().notAfter, [Symbol.dispose]: () => kept[Symbol.dispose]() };
}

function toBound({ config, log }: TlsOptions, listener: "people" | "agents"): ConnectionBound {
  const { connectionsPerAddress, unknownConnectionsPerAddress, unknownConnections } = config;
  const bounds = { connectionsPerAddress, unknownConnectionsPerAddress, unknownConnections };
  return {
    ...bounds,
    // All agents of a mesh may come from one address.
    trustedProxies: createTrustedProxies([
      ...config.trustedProxies,
      ...(listener === "agents" ? config.meshIdentityPeers : []),
    ]),
    onRefused: (about) => log.warn({ ...about, ...bounds, listener }, "too many connections from an address"),
  };
}

function toContext(pair: KeyPair): { readonly cert: string; readonly key: string } {
  return { cert: pair.certPem, key: pair.keyPem };
}
