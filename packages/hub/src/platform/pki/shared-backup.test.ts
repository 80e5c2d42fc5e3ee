// A backup of a database has the authority with it.
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { backupStore, restoreStore } from "../store/index.ts";
import { fingerprints, openSharedHarness } from "./shared.fixture.ts";

const program = { hubVersion: "0.1.0" };

it("a restored database has the authority and the one that follows it, for hubs with the same key encryption key", async () => {
  await using harness = await openSharedHarness();
  const dataDir = harness.folder("one");
  await harness.openAlone(dataDir);
  const { pki } = await harness.openHub({ dataDir });
  await pki.rotate();
  const to = harness.folder("backup");
  await mkdir(dirname(to), { recursive: true });
  await backupStore({ ...program, from: harness.place, filesFolder: dataDir, to });

  await using restored = await openSharedHarness({ isEmpty: true, keysOf: harness });
  const filesFolder = restored.folder("one");
  await restoreStore({ ...program, from: to, filesFolder, to: restored.place });
  const [first, other] = [await restored.openHub({ dataDir: filesFolder }), await restored.openHub()];
  expect([fingerprints(first.pki), fingerprints(other.pki)]).toEqual([fingerprints(pki), fingerprints(pki)]);
  await expect(restored.openHub({ keySeal: { file: harness.key("two") } })).rejects.toMatchObject({
    code: "PKI_KEY_ENCRYPTION_KEY_WRONG",
  });
  await first.pki.retire();
  await other.pki.refresh();
  expect(other.pki.caPem).toBe(first.pki.caPem);
});
