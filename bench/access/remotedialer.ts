// Rancher's remotedialer as a reverse tunnel: its client beside the API server, its server where users connect.
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority } from "@fairlead/protocol/x509";
import { ensureTools, startProcess } from "@fairlead/testkit";
import type { Tunnel } from "./openssh.ts";

export async function startRemotedialer(options: { targetPort: number }): Promise<Tunnel> {
  const target = `127.0.0.1:${options.targetPort}`;
  await using undo = new AsyncDisposableStack();
  const { remotedialer: command } = await ensureTools(["remotedialer"]);
  const folder = await mkdtemp(join(tmpdir(), "fairlead-remotedialer-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  await writeFiles(folder);
  const common = ["--target", target, "--secret-file", join(folder, "secret")];

  const serverLog = join(folder, "server.log");
  undo.use(
    await startProcess({
      name: "remotedialer's server",
      command,
      args: ["--role", "server", "--cert", join(folder, "cert.pem"), "--key", join(folder, "key.pem"), ...common],
      logFile: serverLog,
      readyWhen: async () => (await readFile(serverLog, "utf8")).includes("tunnelPort"),
    }),
  );
  const { port, tunnelPort } = readPorts(await readFile(serverLog, "utf8"));
  const clientLog = join(folder, "client.log");
  const connect = ["--connect", `wss://127.0.0.1:${tunnelPort}/`, "--ca", join(folder, "ca.pem")];
  undo.use(
    await startProcess({
      name: "remotedialer's client",
      command,
      args: ["--role", "client", ...connect, ...common],
      logFile: clientLog,
      readyWhen: async () => (await readFile(clientLog, "utf8")).includes("connected"),
    }),
  );
  const release = undo.move();
  return { port, [Symbol.asyncDispose]: () => release.disposeAsync() };
}

async function writeFiles(folder: string): Promise<void> {
  const authority = await createAuthority({ commonName: "bench", days: 2 });
  const server = await authority.issueServerCertificate({ names: ["127.0.0.1"], ttlMs: 24 * 3600 * 1000 });
  const files = {
    "ca.pem": authority.caPem,
    "cert.pem": server.certPem,
    "key.pem": server.keyPem,
    secret: randomBytes(32).toString("hex"),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content, { mode: 0o600 });
}

function readPorts(log: string): { port: number; tunnelPort: number } {
  const line = log.split("\n").find((text) => text.includes("tunnelPort"));
  return JSON.parse(line ?? "") as { port: number; tunnelPort: number };
}
