// PgBouncer before a PostgreSQL, as many installations have it.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reservePorts, startProcess } from "../processes/index.ts";
import { ensureDebianProgram } from "../tools/index.ts";

/**
 * Resolves with its port. It hands connections round after each transaction, or gives each client one of its own. As it
 * comes it takes no settings of its clients; some let it overlook those.
 */
export async function startPgBouncer(
  server: { readonly port: number; readonly password: string },
  mode: "transaction" | "session",
  { settings = [] }: { readonly settings?: readonly string[] } = {},
): Promise<AsyncDisposable & { readonly port: number }> {
  const { path, env } = await ensureDebianProgram({ package: "pgbouncer", program: "usr/sbin/pgbouncer" });
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "fairlead-pgbouncer-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const lease = undo.use(await reservePorts(1));
  const port = lease.ports[0] ?? 0;
  const [config, users] = [join(folder, "pgbouncer.ini"), join(folder, "users.txt")];
  await writeFile(users, `"hub" "${server.password}"\n`);
  await writeFile(
    config,
    [
      "[databases]",
      `* = host=127.0.0.1 port=${server.port}`,
      "[pgbouncer]",
      `pool_mode = ${mode}`,
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = scram-sha-256",
      `auth_file = ${users}`,
      ...settings,
    ].join("\n"),
  );
  // It refuses to run as root, which is nobody in a namespace of its own.
  const notRoot = process.getuid?.() === 0 ? ["unshare", "--user", "--map-user=65534", "--map-group=65534"] : [];
  const [command = path, ...args] = [...notRoot, path, config];
  undo.use(
    await startProcess({
      name: "pgbouncer",
      command,
      args,
      env,
      cwd: "/",
      logFile: join(folder, "log"),
      readyWhen: () => accepts(port),
    }),
  );
  const owned = undo.move();
  return { port, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
