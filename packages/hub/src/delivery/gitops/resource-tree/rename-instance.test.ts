import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { parseCachedKey } from "./cached-key.ts";
import type { TreeValue } from "./cluster-trees.ts";
import { collectPieces, renameInstance } from "./rename-instance.ts";

const own = { cluster: "east", namespace: "" };

test("objects of an application are shown with the application's name on the hub, packed or not", async () => {
  const told = resources("shop:apps/Deployment:shop/web");
  const shown = resources("east_shop:apps/Deployment:shop/web");
  expect(await rename(Buffer.from(told), "app|managed-resources|east_shop|1.8.3")).toBe(shown);
  const packed = await renameInstance(
    treeValue(gzipSync(told)),
    own,
    keyOf("app|managed-resources|east_shop|1.8.3.gz"),
  );
  const bytes = await collectPieces(packed.pieces);
  expect([gunzipSync(bytes).toString(), packed.sizeBytes]).toEqual([shown, bytes.byteLength]);
});

test("an application that keeps its namespace, another part and other applications' objects stay as they are", async () => {
  const told = Buffer.from(resources("shop:apps/Deployment:shop/web"));
  for (const [key, place] of [
    ["app|managed-resources|team_shop|1.8.3", { ...own, namespace: "team" }],
    ["app|managed-resources|shop|1.8.3", own],
    ["app|resources-tree|east_shop|1.8.3", own],
    ["app|managed-resources|east_other|1.8.3", own],
  ] as const)
    expect(await rename(told, key, place)).toBe(told.toString());
});

test("bytes that are no text, values that can't be unpacked and large ones pass as they are", async () => {
  const odd = Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x22]);
  expect(await rename(odd, "app|managed-resources|east_shop|1.8.3", own, "latin1")).toBe(odd.toString("latin1"));
  expect(await rename(odd, "app|managed-resources|east_shop|1.8.3.gz", own, "latin1")).toBe(odd.toString("latin1"));
  const bomb = gzipSync(Buffer.alloc(8 * 1_024 * 1_024));
  const key = keyOf("app|managed-resources|east_shop|1.8.3.gz");
  const passed = await renameInstance(treeValue(bomb), own, key);
  expect((await collectPieces(passed.pieces)).equals(bomb)).toBe(true);
  const large = treeValue(Buffer.alloc(2 * 1_024 * 1_024));
  expect(await renameInstance(large, own, key)).toBe(large);
});

/** As Argo CD keeps them: objects are texts, and what `kubectl apply` remembers is a text in these. */
function resources(tracking: string): string {
  const annotations = { "argocd.argoproj.io/tracking-id": tracking };
  const applied = { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify({ metadata: { annotations } }) };
  const liveState = JSON.stringify({ metadata: { name: "web", annotations: { ...annotations, ...applied } } });
  return JSON.stringify([{ kind: "Deployment", name: "web", liveState, targetState: liveState }]);
}

async function rename(bytes: Buffer, key: string, place = own, encoding: BufferEncoding = "utf8"): Promise<string> {
  const { pieces } = await renameInstance(treeValue(bytes), place, keyOf(key));
  return (await collectPieces(pieces)).toString(encoding);
}

function treeValue(bytes: Buffer): TreeValue {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield bytes.subarray(0, 3);
    yield bytes.subarray(3);
  }
  return { sizeBytes: bytes.byteLength, pieces: pieces(), [Symbol.dispose]: () => undefined };
}

function keyOf(key: string): NonNullable<ReturnType<typeof parseCachedKey>> {
  const parsed = parseCachedKey(Buffer.from(key));
  if (parsed === undefined) throw new Error(`${key} is no key`);
  return parsed;
}
