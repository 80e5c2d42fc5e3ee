// The lowest wing: settings, logs and metrics, the store, certificates, bounds, and the two listeners.
import { hostname } from "node:os";
import { type Clock, createId, systemClock } from "@fairlead/kernel";
import { type HubConfig, readEnvironment } from "./config/index.ts";
import { createLimits, type Limits } from "./limits/index.ts";
import { openPki, type Pki } from "./pki/index.ts";
import { parseListen } from "./server/index.ts";
import { type DatabaseOptions, openStore, type Store, type StoreOptions } from "./store/index.ts";
import { createLogger, createReadiness, type Logger, type Readiness, startHeartbeat } from "./telemetry/index.ts";

export interface Platform extends AsyncDisposable {
  readonly config: HubConfig;
  readonly clock: Clock;
  readonly log: Logger;
  /** Undefined when the hub keeps nothing. */
  readonly dataDir: string | undefined;
  readonly store: Store;
  readonly pki: Pki;
  readonly limits: Limits;
  readonly readiness: Readiness;
  /** Tells this process from the hub's others, before and after it. */
  readonly hubInstanceId: string;
  /** Names that the hub's certificates are for, beside those of loopback. */
  readonly serverNames: readonly string[];
  /** Where people and agents reach the hub; empty until it listens. */
  readonly urls: { people: string; agents: string };
}

export async function openPlatform(
  config: HubConfig,
  options: {
    readonly log?: Logger | undefined;
    readonly clock?: Clock | undefined;
    /** Instead of the configured one; the platform closes it. */
    readonly store?: Store | undefined;
  } = {},
): Promise<Platform> {
  const { clock = systemClock, log = createLogger({ level: config.logLevel, name: "fairlead-hub" }) } = options;
  const dataDir = config.inMemory ? undefined : config.dataDir;
  await using undo = new AsyncDisposableStack();
  const store = undo.use(options.store ?? (await openStore({ dataDir, ...toStoreOptions(config, log) })));
  const pki = await openPki({
    ...{ dataDir, trustDomain: config.trustDomain, clock },
    keySeal: { file: config.keyEncryptionKeyFile, previousFile: config.previousKeyEncryptionKeyFile },
  });
  const readiness = createReadiness();
  const heartbeat = undo.use(startHeartbeat({ check: () => store.check(), answered: () => store.answered, clock }));
  readiness.add({ name: "store", run: () => heartbeat.judge() });
  const limits = createLimits({
    userRequests: config.limitUserRequests,
    userStreams: config.limitUserStreams,
    userBytesPerSecond: config.limitUserBytesPerSecond,
    clusterRequests: config.limitClusterRequests,
    clusterStreams: config.limitClusterStreams,
    clusterBytesPerSecond: config.limitClusterBytesPerSecond,
    hubRequests: config.limitHubRequests,
    userApiRequests: config.limitUserApiRequests,
    addressApiRequests: config.limitAddressApiRequests,
  });
  const owned = undo.move();
  return {
    ...{ config, clock, log, dataDir, store, pki, limits, readiness },
    hubInstanceId: createId("hub"),
    serverNames: listServerNames(config),
    urls: { people: "", agents: "" },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function toStoreOptions(config: HubConfig, log: Logger): StoreOptions {
  const { waitForStoreMs: waitMs } = config;
  return {
    ...{ binDirs: config.postgresBinDir, path: readEnvironment()["PATH"], socketDir: config.postgresSocketDir },
    waitMs,
    onWait: ({ code, message: reason }) => log.info({ waitMs, code, reason }, "waiting for the store"),
    database: watchDatabase(config, log),
    onMajorChange({ isDone, ...versions }) {
      log.info(
        versions,
        isDone ? "the database was copied to another version" : "copying the database to another version",
      );
    },
    onServerChange(state) {
      if (state.kind === "down") log.error({ reason: state.reason }, "the database ended; it is started again");
      if (state.kind === "running") log.info({ pid: state.process.pid }, "the database runs");
    },
  };
}

/** Undefined when the hub runs its own. */
export function readDatabase(config: HubConfig): Omit<DatabaseOptions, "onChange"> | undefined {
  const { databaseUrl: url, databaseUrlFile: path, databaseCaFile: caFile, databaseConnections: connections } = config;
  if (path !== undefined) return { source: { kind: "file", path }, caFile, connections };
  return url === undefined ? undefined : { source: { kind: "url", url }, caFile, connections };
}

function watchDatabase(config: HubConfig, log: Logger): DatabaseOptions | undefined {
  const database = readDatabase(config);
  if (database === undefined) return undefined;
  return {
    ...database,
    onChange(state) {
      if (state.kind === "away") log.error({ err: state.error }, "the database can't be used; trying again");
      if (state.kind === "held") log.info("the database can be used again");
    },
  };
}

function listServerNames(config: HubConfig): string[] {
  const hosts = [config.publicUrl, config.agentPublicUrl].flatMap((url) => (url ? [new URL(url).hostname] : []));
  const bound = [config.listen, config.agentListen].map((listen) => parseListen(listen).host);
  const names = [...hosts.map((host) => host.replace(/^\[|\]$/g, "")), ...bound, hostname()];
  return [...new Set(names)].filter((name) => name !== "0.0.0.0" && name !== "::");
}
