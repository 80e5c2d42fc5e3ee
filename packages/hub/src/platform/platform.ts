// The lowest wing: settings, logs and metrics, the store, certificates, bounds, and the two listeners.
import { hostname } from "node:os";
import { type Clock, createId, forComponent, systemClock } from "@fairlead/kernel";
import { startTracing, type Tracing } from "@fairlead/kernel/tracing";
import { hubVersion } from "../version.ts";
import { type Bus, openBus } from "./bus/index.ts";
import { type Changes, openChanges } from "./changes/index.ts";
import { chooseBus } from "./choose-bus.ts";
import { type HubConfig, readEnvironment } from "./config/index.ts";
import { type DeclarationsRoom, openDeclarations } from "./declarations/index.ts";
import { type Leases, openLeases } from "./leases/index.ts";
import { createLimits, type LimitSettings, type Limits } from "./limits/index.ts";
import {
  type CommandKeys,
  type GivenFiles,
  type KeySeal,
  openCommandKeys,
  openPki,
  type Pki,
  readKeySeal,
} from "./pki/index.ts";
import { parseListen } from "./server/index.ts";
import { type DatabaseOptions, openStore, type Store, type StoreOptions } from "./store/index.ts";
import {
  createLogger,
  createReadiness,
  type Logger,
  loadTracing,
  type Readiness,
  startHeartbeat,
} from "./telemetry/index.ts";

export interface Platform extends AsyncDisposable {
  readonly config: HubConfig;
  readonly clock: Clock;
  readonly log: Logger;
  /** Undefined when the hub keeps nothing. */
  readonly dataDir: string | undefined;
  readonly store: Store;
  /** Tells other hubs on the same database where to look. */
  readonly bus: Bus;
  /** Tells this hub what it or others have changed. */
  readonly changes: Changes;
  /** For what only one of the hubs on a database may do at a time. */
  readonly leases: Leases;
  readonly pki: Pki;
  /** By the key encryption key, if the hub has one. */
  readonly keySeal: KeySeal;
  /** Undefined where a key for them would lie readable in a database that others run: there are no commands then. */
  readonly commandKeys: CommandKeys | undefined;
  readonly limits: Limits;
  /** Undefined where nothing is declared by files. */
  readonly declarations: DeclarationsRoom | undefined;
  readonly readiness: Readiness;
  /** Undefined where nothing is traced. */
  readonly tracer: Tracing | undefined;
  /** Tells this process from the hub's others, before and after it. */
  readonly hubInstanceId: string;
  /** Other hubs use the same database. */
  readonly isShared: boolean;
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
    /** How many hubs share the limits of people and clusters, this one included. */
    readonly countHubs?: () => number;
  } = {},
): Promise<Platform> {
  const { clock = systemClock, log = createLogger({ level: config.logLevel, name: "hub" }) } = options;
  const dataDir = config.inMemory ? undefined : config.dataDir;
  const isShared = config.hubAddress !== undefined;
  await using undo = new AsyncDisposableStack();
  const store = undo.use(
    options.store ?? (await openStore({ dataDir, ...toStoreOptions(config, forComponent(log, "hub/store")) })),
  );
  const hubInstanceId = createId("hub");
  const tracer = await startTracing(config, {
    log: forComponent(log, "hub/tracing"),
    load: loadTracing,
    resource: {
      "service.name": "fairlead-hub",
      "service.version": hubVersion,
      "service.instance.id": hubInstanceId,
    },
  });
  if (tracer) undo.use(tracer);
  const adapter = chooseBus(config, { database: readDatabase(config), store, clock });
  const bus = undo.use(await openBus({ adapter, hubInstanceId, clock, log: forComponent(log, "hub/bus") }));
  const changes = undo.use(openChanges({ db: store.db, bus, clock, log: forComponent(log, "hub/changes") }));
  const leases = undo.use(
    openLeases({ db: store.db, bus, hubInstanceId, clock, log: forComponent(log, "hub/leases") }),
  );
  const keyFiles = { file: config.keyEncryptionKeyFile, previousFile: config.previousKeyEncryptionKeyFile };
  const pki = undo.use(
    await openPki({
      dataDir,
      trustDomain: config.trustDomain,
      clock,
      keySeal: keyFiles,
      shared: isShared ? { db: store.db, changes } : undefined,
      ownDatabase: store.db,
      given: readGiven(config),
    }),
  );
  const keySeal = await readKeySeal(keyFiles);
  const commandKeys = await openCommandKeys({
    db: store.db,
    changes,
    seal: keySeal,
    clock,
    isOwnDatabase: readDatabase(config) === undefined,
    spreadMs: Math.max(2 * dayMs, config.certificateTtlMs),
  });
  if (commandKeys) undo.use(commandKeys);
  const readiness = createReadiness();
  const heartbeat = undo.use(startHeartbeat({ check: () => store.check(), answered: () => store.answered, clock }));
  readiness.add({ name: "store", run: () => heartbeat.judge() });
  readiness.add({ name: "bus", isForInformation: true, run: () => requireUp(bus) });
  const limitSettings = readLimits(config);
  const limits = createLimits(limitSettings, { clock, ...(options.countHubs ? { hubs: options.countHubs } : {}) });
  const declarations =
    config.declarations === undefined
      ? undefined
      : undo.use(
          await openDeclarations({
            folder: config.declarations,
            keepsNothing: config.inMemory,
            db: store.db,
            changes,
            leases,
            isShared,
            clock,
            log: forComponent(log, "hub/declarations"),
            onLimits: (declared) => limits.settle({ ...limitSettings, ...declared?.limits }),
          }),
        );
  const owned = undo.move();
  return {
    config,
    clock,
    log,
    dataDir,
    store,
    bus,
    changes,
    leases,
    pki,
    limits,
    readiness,
    tracer,
    hubInstanceId,
    isShared,
    keySeal,
    commandKeys,
    declarations,
    serverNames: listServerNames(config),
    urls: { people: "", agents: "" },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function readLimits(config: HubConfig): LimitSettings {
  return {
    userRequests: config.limitUserRequests,
    userStreams: config.limitUserStreams,
    userBytesPerSecond: config.limitUserBytesPerSecond,
    clusterRequests: config.limitClusterRequests,
    clusterStreams: config.limitClusterStreams,
    clusterBytesPerSecond: config.limitClusterBytesPerSecond,
    hubRequests: config.limitHubRequests,
    userApiRequests: config.limitUserApiRequests,
    addressApiRequests: config.limitAddressApiRequests,
  };
}

function readGiven({ caCertFile, caKeyFile, nextCaCertFile, nextCaKeyFile }: HubConfig): GivenFiles | undefined {
  if (caCertFile === undefined || caKeyFile === undefined) return undefined;
  const hasNext = nextCaCertFile !== undefined && nextCaKeyFile !== undefined;
  return {
    current: { certFile: caCertFile, keyFile: caKeyFile },
    next: hasNext ? { certFile: nextCaCertFile, keyFile: nextCaKeyFile } : undefined,
  };
}

/** Hubs do without it, only more slowly. */
function requireUp({ state }: Bus): void {
  if (state.kind === "away") throw state.error;
}

function toStoreOptions(config: HubConfig, log: Logger): StoreOptions {
  const { waitForStoreMs: waitMs } = config;
  return {
    binDirs: config.postgresBinDir,
    path: readEnvironment()["PATH"],
    socketDir: config.postgresSocketDir,
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
  const { databaseUrl: url, databaseUrlFile: path } = config;
  const rest = {
    caFile: config.databaseCaFile,
    connections: config.databaseConnections,
    isShared: config.hubAddress !== undefined,
  };
  if (path !== undefined) return { source: { kind: "file", path }, ...rest };
  return url === undefined ? undefined : { source: { kind: "url", url }, ...rest };
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
  const wildcards = config.clusterDomain === undefined ? [] : [`*.${config.clusterDomain}`];
  return [...new Set([...names, ...wildcards])].filter((name) => name !== "0.0.0.0" && name !== "::");
}

const dayMs = 24 * 60 * 60_000;
