// nginx as a load balancer that ends TLS with a certificate of its own and speaks TLS to what is behind it.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority } from "@fairlead/protocol/x509";
import { ensureDebianProgram, type RunningProcess, reservePorts, startProcess } from "@fairlead/testkit";
import { accepts } from "./accepts.ts";

export interface TestNginx extends AsyncDisposable {
  /** A port for each upstream, in their order. */
  readonly ports: readonly number[];
  /** The certificate of the CA that issued nginx's. */
  readonly caFile: string;
  start(options: { readonly upstreamPorts: readonly number[]; readonly upstreamCaFile: string }): Promise<void>;
  /** All its connections break. */
  kill(): Promise<void>;
}

/** Reserves ports and makes the certificate; `start` comes when it is known what stands behind. */
export async function prepareNginx(options: { readonly portCount: number }): Promise<TestNginx> {
  await using undo = new AsyncDisposableStack();
  const nginx = await ensureDebianProgram({ package: "nginx", program: "usr/sbin/nginx" });
  const { ports } = undo.use(await reservePorts(options.portCount));
  const folder = await mkdtemp(join(tmpdir(), "fairlead-nginx-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const authority = await createAuthority({ commonName: "balancer CA", days: 1 });
  const { certPem, keyPem } = await authority.issueServerCertificate({ names: ["127.0.0.1"], ttlMs: 3_600_000 });
  const path = (name: string): string => join(folder, name);
  await writeFile(path("ca.pem"), authority.caPem);
  await writeFile(path("tls.pem"), certPem);
  await writeFile(path("tls.key"), keyPem, { mode: 0o600 });
  let running: RunningProcess | undefined;
  undo.defer(async () => void (await running?.stop({ graceMs: 0 })));
  const release = undo.move();
  return {
    ports,
    caFile: path("ca.pem"),
    async start({ upstreamPorts, upstreamCaFile }) {
      const servers = ports.map((port, index) => server(port, upstreamPorts[index] ?? 0));
      const tls = [
        `ssl_certificate ${path("tls.pem")};`,
        `ssl_certificate_key ${path("tls.key")};`,
        "ssl_protocols TLSv1.2 TLSv1.3;",
        `proxy_ssl_trusted_certificate ${upstreamCaFile};`,
        "proxy_ssl_verify on;",
        // It compares DNS names only, and the hub calls itself localhost as well.
        "proxy_ssl_name localhost;",
        "proxy_ssl_protocols TLSv1.3;",
      ];
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
        (name) => `${name}_temp_path ${path(`${name}.tmp`)};`,
      );
      const http = ["access_log off;", "client_max_body_size 0;", upgradeMap, ...temporary, ...tls, ...servers];
      const lines = ["daemon off;", "master_process off;", "events {}", `pid ${path("pid")};`, `http {`, ...http, "}"];
      await writeFile(path("nginx.conf"), lines.join("\n"));
      running = await startProcess({
        name: "nginx",
        command: nginx.path,
        args: ["-e", "stderr", "-p", folder, "-c", path("nginx.conf")],
        env: { ...nginx.env },
        logFile: path("nginx.log"),
        readyWhen: async () => (await Promise.all(ports.map(accepts))).every(Boolean),
        readyTimeoutMs: 30_000,
      });
    },
    async kill() {
      await running?.stop({ graceMs: 0 });
    },
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}

const upgradeMap = "map $http_upgrade $connection_header { default upgrade; '' ''; }";

function server(port: number, upstreamPort: number): string {
  return `server {
    listen 127.0.0.1:${port} ssl;
    location / {
      proxy_pass https://127.0.0.1:${upstreamPort};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_header;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_buffering off;
      proxy_request_buffering off;
      proxy_read_timeout 1h;
      proxy_send_timeout 1h;
    }
  }`;
}
