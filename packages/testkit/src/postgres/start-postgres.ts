// A PostgreSQL on TCP with an empty database in it, as several hubs share one. For what is shown and measured: nothing of
// it is synced to a disk.
import { randomBytes } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { runCommand } from "../cluster/index.ts";
import { fillFolder } from "../made/index.ts";
import { type RunningProcess, reservePorts, startProcess } from "../processes/index.ts";
import { ensurePostgres } from "../tools/index.ts";

export interface Postgres extends AsyncDisposable {
  readonly port: number;
  readonly process: RunningProcess;
  /** The password of the user `hub`, and of the superuser `root`. */
  readonly password: string;
  /** The database's URL with user and password, through a cable where its port is given. */
  url(options?: { readonly port?: number }): string;
  /** As the superuser, in the database of hubs. */
  query(statement: string, values?: readonly unknown[]): Promise<unknown[]>;
  /** At once, as a machine goes. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Ends all connections of others and takes each that is to be had, until disposed. */
  useUp(): Promise<AsyncDisposable>;
  /** Copies it as it is and lets the copy follow what is written here. This one is started anew for that. */
  startStandby(options?: StandbyOptions): Promise<Standby>;
}

export interface StandbyOptions {
  /** Where the standby reaches it, through a cable. */
  readonly port?: number;
  /** Nothing is acknowledged that the standby hasn't. */
  readonly isSynchronous?: boolean;
}

export interface Standby extends Postgres {
  /** Resolves when it has all that its primary had when this was called. */
  untilEven(): Promise<void>;
  /** Resolves when it takes writes. */
  promote(): Promise<void>;
}

type Settings = Readonly<Record<string, string>>;

export async function startPostgres(
  options: { readonly settings?: Settings; readonly signal?: AbortSignal | undefined } = {},
): Promise<Postgres> {
  const { settings = {}, signal } = options;
  await using undo = new AsyncDisposableStack();
  const folder = undo.adopt(await mkdtemp(join(tmpdir(), "fairlead-postgres-")), removeFolder);
  const run = await chooseRun();
  await fillFolder({ name: "postgres", folder, make: (draft) => initDatabase(draft, run) });
  const password = await readFile(passwordOf(folder), "utf8");
  const server = undo.use(await startServer({ folder, password, settings, run, signal }));
  const release = undo.move();
  return { ...server, ...liveProcess(server), [Symbol.asyncDispose]: () => release.disposeAsync() };
}

type Server = Postgres & Pick<Standby, "promote">;

interface Place {
  readonly folder: string;
  readonly password: string;
  readonly settings: Settings;
  readonly run: Run;
  readonly signal: AbortSignal | undefined;
}

async function startServer(place: Place): Promise<Server> {
  const { folder, password, run, signal } = place;
  let settings: Settings = place.settings;
  await using undo = new AsyncDisposableStack();
  const [port = 0] = undo.use(await reservePorts(1)).ports;
  const logFile = join(folder, "log");
  let running = await start();
  undo.defer(async () => void (await running.stop({ graceMs: 0 })));
  const release = undo.move();
  const server: Server = {
    port,
    get process() {
      return running;
    },
    password,
    url: ({ port: at = port } = {}) => `postgres://hub:${password}@127.0.0.1:${at}/fairlead`,
    async query(statement, values = []) {
      const client = await connect(server, "fairlead");
      try {
        return (await client.query(statement, [...values])).rows as unknown[];
      } finally {
        await client.end();
      }
    },
    kill: async () => void (await running.stop({ graceMs: 0 })),
    async start() {
      running = await start();
    },
    useUp: () => useUp(server),
    async startStandby({ port: from = port, isSynchronous = false } = {}) {
      await running.stop({ graceMs: 0 });
      const copy = await mkdtemp(join(tmpdir(), "fairlead-standby-"));
      await cp(dataOf(folder), dataOf(copy), { recursive: true });
      await rm(join(dataOf(copy), "postmaster.pid"), { force: true });
      await writeFile(join(dataOf(copy), "standby.signal"), "");
      const primary_conninfo = `host=127.0.0.1 port=${from} user=root password=${password} application_name=standby`;
      if (isSynchronous) settings = { ...settings, synchronous_standby_names: "*" };
      running = await start();
      const standby = await startServer({ ...place, folder: copy, settings: { ...place.settings, primary_conninfo } });
      return {
        ...standby,
        ...liveProcess(standby),
        async untilEven() {
          const [there] = await ask(server, "select pg_current_wal_flush_lsn() as at");
          while ((await ask(standby, `select pg_last_wal_replay_lsn() < '${there}' as at`))[0] === true)
            await sleep(25);
        },
        async [Symbol.asyncDispose]() {
          await standby[Symbol.asyncDispose]();
          await removeFolder(copy);
        },
      };
    },
    async promote() {
      const control = join(dataOf(folder), "promote");
      await writeFile(control, "");
      const [pid] = (await readFile(join(dataOf(folder), "postmaster.pid"), "utf8")).split("\n");
      const before = await countInLog(taking);
      process.kill(Number(pid), "SIGUSR1");
      while ((await countInLog(taking)) === before) await sleep(25);
    },
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
  return server;

  async function start(): Promise<RunningProcess> {
    const flags = Object.entries({ ...basics, ...settings }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const [command = "", ...args] = run("postgres", ["-D", dataOf(folder), "-p", String(port), ...flags]);
    const before = await countInLog(accepting);
    return await startProcess({
      name: "postgres",
      command,
      args,
      env: environment(),
      cwd: "/",
      logFile,
      signal,
      readyTimeoutMs: 60_000,
      readyWhen: async () => (await countInLog(accepting)) > before,
    });
  }

  async function countInLog(text: string): Promise<number> {
    return (await readFile(logFile, "utf8").catch(() => "")).split(text).length - 1;
  }
}

async function useUp(server: Postgres): Promise<AsyncDisposable> {
  const taken: Client[] = [];
  const takeAll = async (): Promise<void> => {
    for (;;) {
      const client = await connect(server).catch(() => undefined);
      if (client === undefined) return;
      taken.push(client);
    }
  };
  // A client that was ended comes back at once, and may be faster.
  for (let left = 1; left > 0; ) {
    await takeAll();
    const { rows } = (await taken[0]?.query(endOthers)) ?? { rows: [] };
    left = rows.length;
  }
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(taken.map((client) => client.end().catch(() => undefined)));
    },
  };
}

async function connect({ port, password }: Postgres, database = "postgres"): Promise<Client> {
  const client = new Client({ host: "127.0.0.1", port, user: "root", password, database });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

/** Gives the column `at` of each row. */
async function ask(server: Postgres, statement: string): Promise<unknown[]> {
  const client = await connect(server);
  try {
    return (await client.query<{ at: unknown }>(statement)).rows.map(({ at }) => at);
  } finally {
    await client.end();
  }
}

/** Spreading an object reads its getters once. */
function liveProcess(server: Postgres): Pick<Postgres, "process"> {
  return {
    get process() {
      return server.process;
    },
  };
}

type Run = (program: string, args: readonly string[]) => string[];

/** PostgreSQL refuses root, who runs it as nobody in a namespace: there the files stay root's. */
async function chooseRun(): Promise<Run> {
  const binDir = await ensurePostgres();
  const notRoot = process.getuid?.() === 0 ? ["unshare", "--user", "--map-user=65534", "--map-group=65534"] : [];
  return (program, args) => [...notRoot, join(binDir, program), ...args];
}

async function initDatabase(folder: string, run: Run): Promise<void> {
  const [dataDir, passwordFile, password] = [dataOf(folder), passwordOf(folder), randomBytes(16).toString("hex")];
  await mkdir(dataDir, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  const [initdb = "", ...args] = run("initdb", [
    "-D",
    dataDir,
    "-U",
    "root",
    "--pwfile",
    passwordFile,
    "-A",
    "scram-sha-256",
    "--no-sync",
    "--encoding",
    "UTF8",
    "--locale",
    "C.UTF-8",
    "--no-instructions",
  ]);
  await runCommand(initdb, args, { env: environment() });
  // The package has no psql. A server for one user reads its statements from standard input, a line each.
  const shared = ["-c", "dynamic_shared_memory_type=mmap", "-c", "shared_buffers=16MB"];
  const [postgres = "", ...single] = run("postgres", ["--single", "-D", dataDir, ...shared, "postgres"]);
  const input = `create role hub login password '${password}'\ncreate database fairlead owner hub\n`;
  await runCommand(postgres, single, { env: environment(), cwd: "/", input });
}

function environment(): Record<string, string> {
  return { LC_ALL: "C", PATH: process.env["PATH"] ?? "" };
}

function dataOf(folder: string): string {
  return join(folder, "data");
}

function passwordOf(folder: string): string {
  return join(folder, "password");
}

async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

const endOthers = `select pg_terminate_backend(pid) from pg_stat_activity
  where backend_type = 'client backend' and usename <> current_user`;
/** A standby writes "read-only" after it. */
const accepting = "ready to accept";
const taking = "ready to accept connections";

const basics = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  fsync: "off",
  max_connections: "200",
  shared_buffers: "64MB",
  dynamic_shared_memory_type: "mmap",
  huge_pages: "off",
  wal_keep_size: "256MB",
};
