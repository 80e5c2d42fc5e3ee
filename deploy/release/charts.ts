import { globSync, readFileSync } from "node:fs";
import { copyFile, mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot } from "@fairlead/testkit";
import { parse } from "yaml";
import { copyBlob, writeBlob } from "../images/oci/blobs.ts";
import { mediaTypes } from "../images/oci/image.ts";
import { writeLayer } from "../images/oci/layer.ts";
import { closeLayout, openLayout } from "../images/oci/layout.ts";

/** Helm writes these types when it pushes a chart. */
const chartTypes = {
  config: "application/vnd.cncf.helm.config.v1+json",
  content: "application/vnd.cncf.helm.chart.content.v1.tar+gzip",
};

export interface PackedChart {
  readonly name: string;
  /** The archive for `helm install`. */
  readonly archive: string;
  /** An OCI layout with the chart as its one entry, tagged by the version. */
  readonly layoutDir: string;
}

/** Packs each chart as an archive and as an OCI artifact. The same files give the same bytes. */
export async function packCharts(outDir: string): Promise<PackedChart[]> {
  await mkdir(outDir, { recursive: true });
  const charts: PackedChart[] = [];
  for (const path of globSync("charts/*", { cwd: repoRoot }).sort()) charts.push(await packChart(path, outDir));
  return charts;
}

async function packChart(path: string, outDir: string): Promise<PackedChart> {
  const folder = join(repoRoot, path);
  const chart = parse(readFileSync(join(folder, "Chart.yaml"), "utf8")) as Readonly<Record<string, string>>;
  const { name = "", version = "", description = "" } = chart;
  const draft = join(outDir, `.${name}.tgz`);
  try {
    // .helmignore leaves values for tests out.
    const files = globSync(["**/*", ".helmignore"], {
      cwd: folder,
      withFileTypes: true,
      exclude: (entry) => entry.name === "ci",
    });
    const entries = files
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => ({
        kind: "file" as const,
        path: `${name}${file.slice(folder.length)}`,
        isExecutable: false,
        read: () => readFile(file),
      }));
    const layer = await writeLayer({ title: name, entries, file: draft, epoch: 0 });
    const layoutDir = join(outDir, `${name}.oci`);
    await openLayout(layoutDir);
    await copyBlob(layoutDir, layer.digest, draft);
    const manifest = await writeBlob(layoutDir, mediaTypes.manifest, {
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config: await writeBlob(layoutDir, chartTypes.config, chart),
      layers: [{ mediaType: chartTypes.content, digest: layer.digest, size: layer.sizeBytes }],
      annotations: {
        "org.opencontainers.image.title": name,
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.description": description,
      },
    });
    await closeLayout(layoutDir, manifest, version);
    const archive = join(outDir, `${name}-${version}.tgz`);
    await copyFile(draft, archive);
    return { name, archive, layoutDir };
  } finally {
    await rm(draft, { force: true });
  }
}
