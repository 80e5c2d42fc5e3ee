// A PostgreSQL on TCP with an empty database in it, as several hubs share one. For what is shown and measured: nothing of
// it is synced to a disk.
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "../cluster/index.ts";
import { type RunningProcess, reservePorts, startProcess } from "../processes/index.ts";
import { ensurePostgres } from "../tools/index.ts";

export interface Postgres extends AsyncDisposable {
  readonly port: number;
  readonly process: RunningProcess;
  /** That of the user `hub`. */
  readonly password: string;
  /** The database's URL with user and password, through a cable where its port is given. */
  url(options?: { readonly port?: number }): string;
}

export async function startPostgres(
  options: { readonly settings?: Readonly<Record<string, string>>; readonly signal?: AbortSignal | undefined } = {},
): Promise<Postgres> {
  const { settings = {}, signal } = options;
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "fairlead-postgres-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const dataDir = join(folder, "data");
  const password = randomBytes(16).toString("hex");
  const run = await chooseRun();
  await mkdir(dataDir, { mode: 0o700 });
  await initDatabase({ dataDir, passwordFile: join(folder, "password"), password, run });

  const [port = 0] = undo.use(await reservePorts(1)).ports;
  const flags = Object.entries({ ...basics, ...settings }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const logFile = join(folder, "log");
  const [command = "", ...args] = run("postgres", ["-D", dataDir, "-p", String(port), ...flags]);
  const running = await startProcess({
    ...{ name: "postgres", command, args, env: environment(), cwd: "/", logFile, signal },
    readyTimeoutMs: 60_000,
    readyWhen: async () => (await readFile(logFile, "utf8")).includes("ready to accept connections"),
  });
  undo.defer(async () => void (await running.stop({ graceMs: 0 })));
  const release = undo.move();
  return {
    port,
    process: running,
    password,
    url: ({ port: at = port } = {}) => `postgres://hub:${password}@127.0.0.1:${at}/fairlead`,
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}

type Run = (program: string, args: readonly string[]) => string[];

/** PostgreSQL refuses root, who runs it as nobody in a namespace: there the files stay root's. */
async function chooseRun(): Promise<Run> {
  const binDir = await ensurePostgres();
  const notRoot = process.getuid?.() === 0 ? ["unshare", "--user", "--map-user=65534", "--map-group=65534"] : [];
  return (program, args) => [...notRoot, join(binDir, program), ...args];
}

async function initDatabase(options: {
  readonly dataDir: string;
  readonly passwordFile: string;
  readonly password: string;
  readonly run: Run;
}): Promise<void> {
  const { dataDir, passwordFile, password, run } = options;
  await writeFile(passwordFile, password, { mode: 0o600 });
  const [initdb = "", ...args] = run("initdb", [
    ...["-D", dataDir, "-U", "root", "--pwfile", passwordFile, "-A", "scram-sha-256"],
    ...["--no-sync", "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-instructions"],
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

const basics = {
  ...{ listen_addresses: "127.0.0.1", unix_socket_directories: "", fsync: "off", max_connections: "200" },
  ...{ shared_buffers: "64MB", dynamic_shared_memory_type: "mmap", huge_pages: "off" },
};
