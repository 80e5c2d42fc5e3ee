// A backup of a database has the authority with it.
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { backupStore, restoreStore } from "../store/index.ts";
import { fingerprints, openSharedBed } from "./shared.fixture.ts";

const program = { hubVersion: "0.1.0" };

it("a restored database has the authority and the one that follows it, for hubs with the same key encryption key", async () => {
  await using bed = await openSharedBed();
  const dataDir = bed.folder("one");
  await bed.openAlone(dataDir);
  const { pki } = await bed.openHub({ dataDir });
  await pki.rotate();
  const to = bed.folder("backup");
  await mkdir(dirname(to), { recursive: true });
  await backupStore({ ...program, from: bed.place, filesFolder: dataDir, to });

  await using restored = await openSharedBed({ isEmpty: true, keysOf: bed });
  const filesFolder = restored.folder("one");
  await restoreStore({ ...program, from: to, filesFolder, to: restored.place });
  const [first, other] = [await restored.openHub({ dataDir: filesFolder }), await restored.openHub()];
  expect([fingerprints(first.pki), fingerprints(other.pki)]).toEqual([fingerprints(pki), fingerprints(pki)]);
  await expect(restored.openHub({ keySeal: { file: bed.key("two") } })).rejects.toMatchObject({
    code: "PKI_KEY_ENCRYPTION_KEY_WRONG",
  });
  await first.pki.retire();
  await other.pki.refresh();
  expect(other.pki.caPem).toBe(first.pki.caPem);
});
