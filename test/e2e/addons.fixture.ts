// A repository of charts on loopback, with one chart that installs a stand-in of Reloader.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { catalogue } from "@fairlead/doctor";
import { openHelm } from "@fairlead/testkit";

export interface ChartRepository extends AsyncDisposable {
  readonly url: string;
  /** The repository of the catalogue that it stands for. */
  readonly replaces: string;
}

export async function startChartRepository(folder: string): Promise<ChartRepository> {
  const install = catalogue.find(({ id }) => id === "reloader")?.install;
  if (!install) throw new Error("Reloader has no chart in the catalogue");
  const chart = join(folder, install.chart);
  await mkdir(join(chart, "templates"), { recursive: true });
  await writeFile(join(chart, "Chart.yaml"), `apiVersion: v2\nname: ${install.chart}\nversion: ${install.version}\n`);
  await writeFile(join(chart, "values.yaml"), "note: ours\n");
  await writeFile(join(chart, "templates", "deployment.yaml"), deployment);
  await using helm = await openHelm();
  await helm.run(["package", chart, "--destination", folder]);
  await helm.run(["repo", "index", folder]);
  const server = createServer((request, response) => {
    readFile(join(folder, decodeURIComponent((request.url ?? "/").slice(1)))).then(
      (bytes) => response.end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    replaces: install.repository,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: reloader
  labels: {app.kubernetes.io/name: reloader, app.kubernetes.io/managed-by: {{ .Release.Service }}}
  annotations: {note: {{ .Values.note | quote }}}
spec:
  selector: {matchLabels: {app.kubernetes.io/name: reloader}}
  template:
    metadata: {labels: {app.kubernetes.io/name: reloader}}
    spec:
      containers:
        - name: reloader
          image: mirror.invalid/stakater/reloader:v1.2.0
`;
