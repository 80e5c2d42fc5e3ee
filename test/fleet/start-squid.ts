// Squid, the HTTP proxy that companies have: with a password, over HTTP and over TLS, and with names of its own.
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority } from "@fairlead/protocol/x509";
import { ensureDebianProgram, reservePorts, startProcess } from "@fairlead/testkit";

export interface TestSquid extends AsyncDisposable {
  /** Without credentials. */
  readonly http: URL;
  readonly https: URL;
  /** The certificate of the CA that issued the one at `https`. */
  readonly caFile: string;
  readonly user: string;
  readonly password: string;
  /** Returns a line for each request: who asked for what and how it ended. */
  readLog(): Promise<string>;
}

/** Maps the names to loopback, as a company's own DNS would; nothing else knows them. */
export async function startSquid(options: { readonly names: readonly string[] }): Promise<TestSquid> {
  await using undo = new AsyncDisposableStack();
  const squid = await ensureDebianProgram({ package: "squid", program: "usr/sbin/squid" });
  const [httpPort, httpsPort] = undo.use(await reservePorts(2)).ports;
  const folder = await mkdtemp(join(tmpdir(), "fairlead-squid-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  // Started as root it becomes another user, who has to read and write here.
  await chmod(folder, 0o777);
  const authority = await createAuthority({ commonName: "proxy CA", days: 1 });
  const { certPem, keyPem } = await authority.issueServerCertificate({ names: ["127.0.0.1"], ttlMs: 3_600_000 });
  const path = (name: string): string => join(folder, name);
  await writeFile(path("ca.pem"), authority.caPem);
  await writeFile(path("tls.pem"), `${certPem}\n${keyPem}`);
  await writeFile(path("users"), `agent:${passwordHash}\n`);
  await writeFile(path("hosts"), options.names.map((name) => `127.0.0.1 ${name}\n`).join(""));
  const library = join(squid.root, "usr/lib/squid");
  const share = join(squid.root, "usr/share/squid");
  const lines = [
    `http_port 127.0.0.1:${httpPort}`,
    `https_port 127.0.0.1:${httpsPort} tls-cert=${path("tls.pem")}`,
    `hosts_file ${path("hosts")}`,
    "dns_nameservers 127.0.0.1",
    `auth_param basic program ${join(library, "basic_ncsa_auth")} ${path("users")}`,
    "auth_param basic children 2 startup=1",
    "auth_param basic realm test",
    "acl known proxy_auth REQUIRED",
    "http_access allow CONNECT known",
    "http_access deny all",
    "cache deny all",
    "cache_store_log none",
    `cache_log ${path("cache.log")}`,
    `access_log stdio:${path("access.log")}`,
    `unlinkd_program ${join(library, "unlinkd")}`,
    `logfile_daemon ${join(library, "log_file_daemon")}`,
    `mime_table ${join(share, "mime.conf")}`,
    `error_directory ${join(share, "errors/en")}`,
    `icon_directory ${join(share, "icons")}`,
    `coredump_dir ${folder}`,
    "pid_filename none",
    "pinger_enable off",
    "visible_hostname squid.test",
    "max_filedescriptors 1024",
    "shutdown_lifetime 0 seconds",
  ];
  await writeFile(path("squid.conf"), `${lines.join("\n")}\n`);
  undo.use(
    await startProcess({
      name: "squid",
      command: squid.path,
      args: ["-N", "-f", path("squid.conf")],
      env: { ...squid.env },
      logFile: path("squid.log"),
      readyWhen: async () => (await readFile(path("cache.log"), "utf8")).match(/Accepting/g)?.length === 2,
      readyTimeoutMs: 30_000,
    }),
  );
  const release = undo.move();
  return {
    http: new URL(`http://127.0.0.1:${httpPort}`),
    https: new URL(`https://127.0.0.1:${httpsPort}`),
    caFile: path("ca.pem"),
    user: "agent",
    password: "p@ss:word",
    readLog: () => readFile(path("access.log"), "utf8").catch(() => ""),
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}

/** The hash of the password below, by `openssl passwd -apr1`. */
const passwordHash = "$apr1$fairlead$ZVIgO4xK.xmug1hMGLDcD1";
