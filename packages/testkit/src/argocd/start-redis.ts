import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Component, startComponent } from "../cluster/index.ts";
import { reservePorts } from "../processes/index.ts";
import { ensureDebianProgram } from "../tools/index.ts";

export interface TestRedis extends AsyncDisposable {
  readonly port: number;
  readonly address: string;
  readonly password: string | undefined;
  /** Tests may stop it, and start it again with nothing in it. */
  readonly component: Component;
  /** Runs redis-cli and gives its output, without the last line's end. */
  run(...args: readonly string[]): Promise<string>;
  /** A value's bytes. Undefined when there is no such key. */
  read(key: string): Promise<Buffer | undefined>;
}

export interface RedisOptions {
  readonly password?: string | undefined;
  /** It speaks TLS alone then. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string; readonly caFile: string } | undefined;
}

/** A real Redis that keeps nothing on disk. */
export async function startRedis({ password, tls }: RedisOptions = {}): Promise<TestRedis> {
  const { path, env, root } = await ensureDebianProgram({ package: "redis-server", program: "usr/bin/redis-server" });
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "fairlead-redis-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const lease = undo.use(await reservePorts(1));
  const port = lease.ports[0] ?? 0;
  const ask = async (args: readonly string[]): Promise<Buffer> => {
    const ca = tls === undefined ? [] : ["--tls", "--cacert", tls.caFile];
    const all = ["-e", "-h", "127.0.0.1", "-p", String(port), ...ca, ...args];
    const variables = { ...env, ...(password !== undefined && { REDISCLI_AUTH: password }) };
    const options = { env: variables, encoding: "buffer", timeout: 30_000, maxBuffer: 64 * 1024 ** 2 } as const;
    const { stdout } = await promisify(execFile)(join(root, "usr/bin/redis-cli"), all, options);
    return stdout.subarray(0, -1);
  };
  const run = async (...args: readonly string[]): Promise<string> => (await ask(args)).toString();
  const component = await startComponent({
    name: "redis-server",
    command: path,
    env,
    cwd: folder,
    logFile: join(folder, "log"),
    args: [
      tls === undefined ? "--port" : "--tls-port",
      String(port),
      "--bind",
      "127.0.0.1",
      "--dir",
      folder,
      "--save",
      "",
      "--appendonly",
      "no",
      ...(password === undefined ? [] : ["--requirepass", password]),
      ...(tls === undefined ? [] : ["--port", "0", "--tls-auth-clients", "no"]),
      ...(tls === undefined
        ? []
        : ["--tls-cert-file", tls.certFile, "--tls-key-file", tls.keyFile, "--tls-ca-cert-file", tls.caFile]),
    ],
    readyWhen: async () => (await run("ping")) === "PONG",
  });
  undo.defer(() => component.stop({ graceMs: 0 }));
  const owned = undo.move();
  return {
    port,
    address: `127.0.0.1:${port}`,
    password,
    component,
    run,
    read: async (key) => ((await run("exists", key)) === "1" ? ask(["get", key]) : undefined),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
