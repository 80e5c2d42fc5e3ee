// A store in memory within a third of a second: making a new PGlite takes seconds and 900 MB, so the first test file
// that needs one leaves a dump of it in the cache folder for the others.
import { mkdir, open, readFile, rename } from "node:fs/promises";
import { PGlite } from "@electric-sql/pglite";
import { openStore, type Store } from "./store.ts";

export async function openMemoryStore(): Promise<Store> {
  return await openStore({ image: await loadImage() });
}

export async function loadImage(): Promise<Blob> {
  const folder = new URL("../../../../node_modules/.cache/fairlead/", import.meta.url);
  const manifest = new URL("../../../../node_modules/@electric-sql/pglite/package.json", import.meta.url);
  const { version } = JSON.parse(await readFile(manifest, "utf8")) as { version: string };
  const place = new URL(`pglite-${version}.tar`, folder);
  const cached = await open(place).catch(() => undefined);
  if (cached) {
    await using file = cached;
    return new Blob([new Uint8Array(await file.readFile())]);
  }
  const pglite = await PGlite.create();
  const image = await pglite.dumpDataDir("none");
  await pglite.close();
  await mkdir(folder, { recursive: true });
  const draft = new URL(`${crypto.randomUUID()}.tmp`, folder);
  {
    await using file = await open(draft, "wx");
    await file.writeFile(new Uint8Array(await image.arrayBuffer()));
  }
  await rename(draft, place);
  return image;
}
