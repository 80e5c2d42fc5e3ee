// A chart repository and a registry on loopback, both with a password.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ensureDebianProgram, openHelm, reservePorts, startProcess } from "@fairlead/testkit";

export interface ChartPlaces extends AsyncDisposable {
  /** `http://HOST` of the repository. */
  readonly repository: string;
  /** `HOST` of the registry, which speaks plain HTTP. */
  readonly registry: string;
  /** The digest of the chart's manifest in the registry. */
  readonly digest: string;
  /** The paths that were asked for, each with its user. */
  readonly asked: readonly string[];
}

export const login = { username: "reader", password: "p4ss,w0rd=x" };

/** Both have the chart that the files are. */
export async function startChartPlaces(files: Readonly<Record<string, string>>): Promise<ChartPlaces> {
  await using undo = new AsyncDisposableStack();
  const helm = undo.use(await openHelm());
  const folder = await mkdtemp(join(tmpdir(), "fairlead-charts-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, "chart", path, ".."), { recursive: true });
    await writeFile(join(folder, "chart", path), text);
  }
  const published = join(folder, "published");
  await helm.run(["package", join(folder, "chart"), "-d", published]);
  await helm.run(["repo", "index", published, "--url", "."]);
  const asked: string[] = [];
  const repository = await serve(undo, asked, async (incoming, response) => {
    const body = await readFile(join(published, basename(incoming.url ?? ""))).catch(() => undefined);
    response.writeHead(body ? 200 : 404).end(body);
  });
  const registryPort = await startRegistry(undo, folder);
  const { version, name } = JSON.parse(files["Chart.yaml"] ?? "") as { version: string; name: string };
  const inner = `127.0.0.1:${registryPort}`;
  await helm.run(["push", join(published, `${name}-${version}.tgz`), `oci://${inner}/charts`, "--plain-http"]);
  const registry = await serve(undo, asked, async (incoming, response) => {
    const { method, url: path, headers } = incoming;
    const passed = request({ port: registryPort, host: "127.0.0.1", method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(passed);
  });
  const accept = "application/vnd.oci.image.manifest.v1+json";
  const answer = await fetch(`http://${inner}/v2/charts/${name}/manifests/${version}`, { headers: { accept } });
  const kept = undo.move();
  return {
    repository: `http://${repository}`,
    registry,
    asked,
    digest: answer.headers.get("docker-content-digest") ?? "",
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function serve(
  undo: AsyncDisposableStack,
  asked: string[],
  answer: (incoming: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<string> {
  const wanted = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString("base64")}`;
  const server = createServer((incoming, response) => {
    const isKnown = incoming.headers.authorization === wanted;
    asked.push(`${isKnown ? "known" : "unknown"} ${incoming.method} ${incoming.url}`);
    if (isKnown) void answer(incoming, response);
    else response.writeHead(401, { "www-authenticate": 'Basic realm="charts"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  undo.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function startRegistry(undo: AsyncDisposableStack, folder: string): Promise<number> {
  const program = await ensureDebianProgram({ package: "docker-registry", program: "usr/bin/docker-registry" });
  const [port = 0] = undo.use(await reservePorts(1)).ports;
  const storage = { filesystem: { rootdirectory: join(folder, "content") } };
  const config = join(folder, "registry.json");
  await writeFile(config, JSON.stringify({ version: 0.1, storage, http: { addr: `127.0.0.1:${port}` } }));
  undo.use(
    await startProcess({
      name: "docker-registry",
      command: program.path,
      args: ["serve", config],
      env: { ...program.env },
      logFile: join(folder, "registry.log"),
      readyWhen: async () => (await fetch(`http://127.0.0.1:${port}/v2/`)).ok,
    }),
  );
  return port;
}
