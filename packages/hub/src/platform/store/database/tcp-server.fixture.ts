// A PostgreSQL as somebody else runs it: on TCP, of any version that is on this machine, with TLS or without.
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { fillFolder, type PortLease, type RunningProcess, reservePorts, startProcess } from "@fairlead/testkit";
import { Client, type ClientConfig } from "pg";
import { type Account, runAs } from "../postgres/account.ts";
import { findBinaries, toEnvironment } from "../postgres/binaries.ts";

export interface TcpServer extends AsyncDisposable {
  readonly port: number;
  /** The superuser's connection. */
  readonly admin: ClientConfig;
  /** Gives the URL, with user and password, of `database` or of one that is made for it. */
  url(options?: {
    readonly database?: string;
    readonly host?: string;
    readonly port?: number;
    readonly query?: string;
  }): string;
  /** Runs the statement as the superuser. */
  run(statement: string, database?: string): Promise<readonly Record<string, unknown>[]>;
  kill(): Promise<void>;
  start(): Promise<void>;
}

export interface TcpServerOptions {
  readonly major?: 15 | 18;
  readonly tls?: { readonly keyPem: string; readonly certPem: string };
  readonly settings?: Readonly<Record<string, string>>;
  /** Its data is on a disk of its own that has no more room, in a mount namespace that ends with it. */
  readonly diskMib?: number;
}

export const password = "p@ss:w0rd/of%the#hub";

export async function startTcpServer(options: TcpServerOptions = {}): Promise<TcpServer> {
  const { major = 18, tls, settings = {}, diskMib } = options;
  const folder = await mkdtemp(join(tmpdir(), "fairlead-tcp-"));
  const dataFolder = join(folder, "data");
  const { binDir, libraryFolders } = await findServer(major, folder);
  const account: Account = process.getuid?.() === 0 ? { kind: "namespace", unshare: "unshare" } : { kind: "own" };
  const env = { LC_ALL: "C", PATH: process.env["PATH"] ?? "", ...toEnvironment(libraryFolders) };
  const initialize = async (draft: string): Promise<void> => {
    await mkdir(join(draft, "data"), { mode: 0o700 });
    await writeFile(join(draft, "password"), password);
    const initdb = runAs(account, join(binDir, "initdb"), [
      "-D",
      join(draft, "data"),
      "-U",
      "root",
      "--pwfile",
      join(draft, "password"),
      "-A",
      "scram-sha-256",
      "--no-sync",
      "--encoding",
      "UTF8",
      "--locale",
      "C.UTF-8",
      "--no-instructions",
    ]);
    await promisify(execFile)(initdb.command, initdb.args, { ...initdb.options, env } as object);
  };
  await fillFolder({ name: `tcp-${major}`, folder, make: initialize });
  if (tls !== undefined) await writeCertificate(dataFolder, tls);
  const lease: PortLease = await reservePorts(1);
  const port = lease.ports[0] ?? 0;
  const given = { ...basics, ...(tls === undefined ? {} : { ssl: "on" }), ...settings };
  const ownDisk = join(folder, "disk");
  const ownAccount: Account = diskMib === undefined ? account : { kind: "namespace", unshare: "unshare" };
  const direct = runAs(ownAccount, join(binDir, "postgres"), [
    "-D",
    diskMib === undefined ? dataFolder : join(ownDisk, "data"),
    "-p",
    String(port),
    ...Object.entries(given).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ]);
  const server = diskMib === undefined ? direct : await putOnDisk(direct, { ownDisk, dataFolder, diskMib });
  const admin: ClientConfig = { host: "127.0.0.1", port, user: "root", password, database: "postgres" };
  let running: RunningProcess | undefined;
  await start();
  await run(`create role hub login password '${password}'`);
  await run("create database fairlead owner hub");

  return {
    port,
    admin,
    run,
    start,
    url({ database = "fairlead", host = "127.0.0.1", port: at = port, query = "" } = {}) {
      return `postgres://hub:${encodeURIComponent(password)}@${host}:${at}/${database}${query}`;
    },
    async kill() {
      await running?.stop({ graceMs: 0 });
    },
    async [Symbol.asyncDispose]() {
      await running?.stop({ graceMs: 0 });
      await lease[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };

  async function start(): Promise<void> {
    running = await startProcess({
      name: "postgres",
      command: server.command,
      args: server.args,
      env,
      cwd: "/",
      logFile: join(folder, "server.log"),
      readyWhen: async () => (await run("select 1")).length === 1,
    });
  }

  async function run(statement: string, database = "postgres"): Promise<readonly Record<string, unknown>[]> {
    const client = new Client({ ...admin, database, ssl: tls === undefined ? false : { rejectUnauthorized: false } });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end();
    }
  }
}

/** Root in a namespace of its own mounts the disk; the server is nobody in one further in. */
async function putOnDisk(
  { command, args }: { readonly command: string; readonly args: readonly string[] },
  { ownDisk, dataFolder, diskMib }: { readonly ownDisk: string; readonly dataFolder: string; readonly diskMib: number },
): Promise<{ readonly command: string; readonly args: readonly string[] }> {
  await mkdir(ownDisk, { recursive: true });
  const script = `mount -t tmpfs -o size=${diskMib}m tmpfs "$0" && cp -a "$1" "$0/data" && shift && exec "$@"`;
  return { command: "unshare", args: ["-rm", "sh", "-c", script, ownDisk, dataFolder, command, ...args] };
}

async function writeCertificate(
  folder: string,
  { keyPem, certPem }: NonNullable<TcpServerOptions["tls"]>,
): Promise<void> {
  await writeFile(join(folder, "server.crt"), certPem);
  await writeFile(join(folder, "server.key"), keyPem, { mode: 0o600 });
  await chmod(join(folder, "server.key"), 0o600);
}

async function findServer(
  major: 15 | 18,
  folder: string,
): Promise<{ readonly binDir: string; readonly libraryFolders: readonly string[] }> {
  if (major === 18) {
    const [found] = await findBinaries({ path: "", linksFolder: join(folder, "libraries") });
    if (found?.major === 18) return found;
  }
  for (const each of (process.env["PATH"] ?? "").split(delimiter)) {
    const program = await realpath(join(each, "postgres")).catch(() => undefined);
    if (program === undefined) continue;
    const { stdout } = await promisify(execFile)(program, ["--version"]);
    if (stdout.includes(`(PostgreSQL) ${major}.`)) return { binDir: dirname(program), libraryFolders: [] };
  }
  throw new Error(`there is no PostgreSQL ${major} on PATH`);
}

const basics: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  fsync: "off",
  max_connections: "60",
  shared_buffers: "16MB",
  dynamic_shared_memory_type: "mmap",
  huge_pages: "off",
};
