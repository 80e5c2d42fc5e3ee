import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Descriptor } from "./blobs.ts";
import { mediaTypes } from "./image.ts";

/** An empty folder for an image layout; an earlier one goes. */
export async function openLayout(layoutDir: string): Promise<void> {
  await rm(layoutDir, { recursive: true, force: true });
  await mkdir(join(layoutDir, "blobs", "sha256"), { recursive: true });
}

/** The layout's one entry: tools then need no name to find it. */
export async function closeLayout(layoutDir: string, index: Descriptor, tag: string): Promise<void> {
  const entry = { ...index, annotations: { "org.opencontainers.image.ref.name": tag } };
  const content = { schemaVersion: 2, mediaType: mediaTypes.index, manifests: [entry] };
  await writeFile(join(layoutDir, "index.json"), JSON.stringify(content));
  await writeFile(join(layoutDir, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
}
