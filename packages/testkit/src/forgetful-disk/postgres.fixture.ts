// A plain PostgreSQL server, for the proof that the disk forgets what it should and keeps what it must.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { runCommand } from "../cluster/index.ts";
import { type RunningProcess, startProcess } from "../processes/index.ts";
import { ensurePostgres } from "../tools/index.ts";

/** PostgreSQL refuses root. With a user of its own in a namespace the files stay root's, and no folder is out of reach. */
const notRoot = ["unshare", "--user", "--map-user=65534", "--map-group=65534"];
const env = { LC_ALL: "C", PATH: process.env["PATH"] ?? "" };

export interface TestServer extends AsyncDisposable {
  readonly process: RunningProcess;
  /** A connection that is closed with the server. */
  connect(): Promise<pg.Client>;
}

export async function initServer(options: {
  readonly dataDir: string;
  readonly launcher: readonly string[];
}): Promise<void> {
  const { dataDir, launcher } = options;
  const initdb = join(await ensurePostgres(), "initdb");
  const settings = ["--username=test", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-instructions"];
  const [command = "", ...args] = [...launcher, ...notRoot, initdb, "--pgdata", dataDir, ...settings];
  await runCommand(command, args, { env });
}

export async function startServer(options: {
  readonly dataDir: string;
  readonly launcher?: readonly string[];
  /** Settings in addition to those for a small server. */
  readonly settings?: Readonly<Record<string, string>>;
}): Promise<TestServer> {
  const { dataDir, launcher = [], settings = {} } = options;
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "fairlead-postgres-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const all = { ...smallServer, unix_socket_directories: folder, ...settings };
  const flags = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const [command = "", ...args] = [
    ...launcher,
    ...notRoot,
    join(await ensurePostgres(), "postgres"),
    "-D",
    dataDir,
    ...flags,
  ];
  const connect = async () => {
    const client = new pg.Client({ host: folder, user: "test", database: "postgres" });
    // A server that is killed ends its connections with an error.
    client.on("error", () => {});
    await client.connect();
    return client;
  };
  const running = await startProcess({
    name: "postgres",
    command,
    args,
    env,
    logFile: join(folder, "log"),
    readyWhen: async () => {
      await (await connect()).end();
      return true;
    },
  });
  undo.defer(async () => {
    await running.stop({ graceMs: 0 });
  });
  const release = undo.move();
  return {
    process: running,
    async connect() {
      const client = await connect();
      release.defer(() => client.end().catch(() => {}));
      return client;
    },
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}

const smallServer = {
  listen_addresses: "",
  shared_buffers: "16MB",
  max_connections: "10",
  max_wal_senders: "0",
  dynamic_shared_memory_type: "mmap",
};
