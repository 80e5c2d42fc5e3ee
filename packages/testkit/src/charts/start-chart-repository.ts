// A repository of charts on loopback, as `helm repo index` makes it.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { openHelm } from "./helm.ts";

export interface ChartRepository extends AsyncDisposable {
  readonly url: string;
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
  const description = `apiVersion: v2\nname: ${chart.name}\nversion: ${chart.version}\n`;
  for (const [path, text] of Object.entries({ "Chart.yaml": description, ...files })) {
    await mkdir(dirname(join(source, path)), { recursive: true });
    await writeFile(join(source, path), text);
  }
  await using helm = await openHelm();
  await helm.run(["package", source, "--destination", folder]);
  await helm.run(["repo", "index", folder]);
  const server = createServer((request, response) => {
    readFile(join(folder, join("/", decodeURIComponent(request.url ?? "/")))).then(
      (bytes) => response.end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
