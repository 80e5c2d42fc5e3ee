// Several hubs on one PostgreSQL behind plain TCP balancers, each hub a process of its own with a folder of its own.
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type Balancer, startBalancer } from "../balancer/index.ts";
import { type Cable, startCable } from "../cable/index.ts";
import { type Postgres, startPostgres } from "../postgres/index.ts";
import { reservePorts } from "../processes/index.ts";
import { type SignIn, signInCli } from "./sign-in.ts";
import { type StartHubOptions, startHub, type TestHub } from "./start-hub.ts";
import { keepLogs } from "./state-dir.ts";

export interface TestHubs extends AsyncDisposable {
  readonly postgres: Postgres;
  readonly hubs: readonly TestHub[];
  /** In the order of the hubs; none unless they are asked for. */
  readonly cables: readonly HubCables[];
  /** The hubs as people and agents see them: behind the balancers. Its process is the first hub's. */
  readonly behind: TestHub;
  readonly people: Balancer;
  readonly agents: Balancer;
}

export interface HubCables {
  /** From the hub to the database. */
  readonly toDatabase: Cable;
  /** From the other hubs to this one. */
  readonly fromHubs: Cable;
}

export interface StartHubsOptions {
  readonly count: number;
  readonly args?: readonly string[];
  /** More flags for the hub of that index. */
  readonly ownArgs?: (index: number) => readonly string[];
  /** Runs the last build and not the sources. */
  readonly isBuilt?: boolean;
  /** Puts cables where a network would lie. */
  readonly isCabled?: boolean;
  /** Where hubs reach the database, if not at its own port. */
  readonly databasePort?: (postgres: Postgres) => Promise<number>;
  /** The folder for the hubs' folders; a new one, removed at the end, unless named. */
  readonly stateDir?: string;
  readonly readyTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

export async function startHubs(options: StartHubsOptions): Promise<TestHubs> {
  const { count, signal } = options;
  await using undo = new AsyncDisposableStack();
  const folder = options.stateDir ?? (await mkdtemp(join(tmpdir(), "fairlead-hubs-")));
  if (options.stateDir === undefined) undo.defer(() => rm(folder, { recursive: true, force: true }));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const postgres = undo.use(await startPostgres({ signal }));
  const people = undo.use(await startBalancer({ ports: [] }));
  const agents = undo.use(await startBalancer({ ports: [] }));
  const keyFile = join(folder, "key");
  await writeFile(keyFile, randomBytes(32).toString("base64"), { mode: 0o600 });
  const databasePort = (await options.databasePort?.(postgres)) ?? postgres.port;
  const places = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      preparePlace({ options, folder, index, postgres, databasePort, keyFile, undo }),
    ),
  );
  const [firstPlace, ...otherPlaces] = places;
  if (firstPlace === undefined) throw new RangeError("at least one hub is needed");
  const first = undo.use(await startAt(firstPlace));
  const { adminToken, caFingerprint, caPem } = first;
  const signIn = { adminToken, caFingerprint };
  const others = await Promise.allSettled(otherPlaces.map((place) => startAt({ ...place, signIn })));
  const hubs = [first];
  for (const other of others) if (other.status === "fulfilled") hubs.push(undo.use(other.value));
  for (const other of others) if (other.status === "rejected") throw other.reason;
  people.use(hubs.map(({ port }) => port));
  agents.use(hubs.map(({ agentPort }) => agentPort));
  const url = `https://127.0.0.1:${people.port}`;
  const behind: TestHub = {
    ...first,
    url,
    port: people.port,
    agentUrl: `https://127.0.0.1:${agents.port}`,
    agentPort: agents.port,
    ...(await signInCli({ url, folder, caPem, adminToken })),
  };
  const cables = places.flatMap((place) => (place.cables === undefined ? [] : [place.cables]));
  const release = undo.move();
  return {
    postgres,
    hubs,
    cables,
    people,
    agents,
    behind,
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}

/** A hub's folder, settings and cables before it is there. */
interface Place {
  readonly start: StartHubOptions;
  readonly cables: HubCables | undefined;
}

async function preparePlace(given: {
  readonly options: StartHubsOptions;
  readonly folder: string;
  readonly index: number;
  readonly postgres: Postgres;
  readonly databasePort: number;
  readonly keyFile: string;
  readonly undo: AsyncDisposableStack;
}): Promise<Place> {
  const { options, folder, index, postgres, databasePort, keyFile, undo } = given;
  const { isBuilt = false, isCabled = false, readyTimeoutMs, signal } = options;
  const args = [...(options.args ?? []), ...(options.ownArgs?.(index) ?? [])];
  const stateDir = join(folder, `hub-${index + 1}`);
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  undo.defer(() => keepLogs(stateDir, `${basename(folder)}-${index + 1}`));
  const [agentPort = 0] = isCabled ? undo.use(await reservePorts(1)).ports : [];
  const cables = isCabled ? await layCables({ databasePort, agentPort, undo }) : undefined;
  const urlFile = join(stateDir, "database-url");
  await writeFile(urlFile, postgres.url({ port: cables?.toDatabase.port ?? databasePort }), { mode: 0o600 });
  const addresses =
    cables === undefined
      ? ["--hub-address", "127.0.0.1:0"]
      : ["--agent-listen", `127.0.0.1:${agentPort}`, "--hub-address", `127.0.0.1:${cables.fromHubs.port}`];
  return {
    cables,
    start: {
      stateDir,
      isBuilt,
      args: ["--database-url-file", urlFile, "--key-encryption-key-file", keyFile, ...addresses, ...args],
      ...(readyTimeoutMs !== undefined && { readyTimeoutMs }),
      ...(signal && { signal }),
    },
  };
}

async function layCables(options: {
  readonly databasePort: number;
  readonly agentPort: number;
  readonly undo: AsyncDisposableStack;
}): Promise<HubCables> {
  const { databasePort, agentPort, undo } = options;
  return {
    toDatabase: undo.use(await startCable({ to: { port: databasePort } })),
    fromHubs: undo.use(await startCable({ to: { port: agentPort } })),
  };
}

function startAt({ start, signIn }: Place & { readonly signIn?: SignIn }): Promise<TestHub> {
  return startHub(signIn === undefined ? start : { ...start, signIn });
}
