import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { onlyArchive } from "./fetch-chart.ts";

const source = { repository: "https://charts.example.com", chart: "one", version: "1.0.0" };

test("an archive that is too large isn't read", async () => {
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "fairlead-charts-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  await expect(onlyArchive(source, folder)).rejects.toMatchObject({ code: "CLI_ADDON_CHART_MISSING" });
  const archive = join(folder, "one-1.0.0.tgz");
  await writeFile(archive, "");
  expect(await onlyArchive(source, folder)).toBe(archive);
  await truncate(archive, 20 * 1024 * 1024 + 1);
  await expect(onlyArchive(source, folder)).rejects.toMatchObject({ code: "CLI_ADDON_CHART_UNREACHABLE" });
});
