// A repository of charts on loopback, as `helm repo index` makes it.
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { openHelm } from "./helm.ts";

export interface ChartRepository extends AsyncDisposable {
  readonly url: string;
  /** Another version of the chart, with other files beside those of before. */
  publish(version: string, files?: Readonly<Record<string, string>>): Promise<void>;
  /** The archive of a version is another one from now on, and the index says what it said. */
  tamper(version: string): Promise<void>;
}

export interface ChartRepositoryOptions {
  /** New or empty; whoever made it removes it. */
  readonly folder: string;
  readonly chart: { readonly name: string; readonly version: string };
  /** Texts by path: `templates/deployment.yaml`. */
  readonly files: Readonly<Record<string, string>>;
}

export async function startChartRepository({ folder, chart, files }: ChartRepositoryOptions): Promise<ChartRepository> {
  const source = join(folder, chart.name);
  await using undo = new AsyncDisposableStack();
  const helm = undo.use(await openHelm());
  await publish(chart.version, files);
  const server = createServer((request, response) => {
    readFile(join(folder, join("/", decodeURIComponent(request.url ?? "/")))).then(
      (bytes) => response.end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  undo.defer(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const owned = undo.move();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publish,
    tamper: (version) => appendFile(join(folder, `${chart.name}-${version}.tgz`), "more"),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };

  async function publish(version: string, texts: Readonly<Record<string, string>> = {}): Promise<void> {
    const description = `apiVersion: v2\nname: ${chart.name}\nversion: ${version}\n`;
    for (const [path, text] of Object.entries({ "Chart.yaml": description, ...texts })) {
      await mkdir(dirname(join(source, path)), { recursive: true });
      await writeFile(join(source, path), text);
    }
    await helm.run(["package", source, "--destination", folder]);
    await helm.run(["repo", "index", folder]);
  }
}
