// An image for one architecture, and the index over them, as the OCI image specification 1.1 writes them.
import type { Arch } from "../platform.ts";
import { copyBlob, type Descriptor, writeBlob } from "./blobs.ts";
import type { Layer } from "./layer.ts";

export const mediaTypes = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
  empty: "application/vnd.oci.empty.v1+json",
  spdx: "application/spdx+json",
} as const;

export interface Platform {
  readonly architecture: string;
  readonly os: string;
  readonly variant?: string;
}

export type Annotations = Readonly<Record<string, string>>;

export async function writeImage(options: {
  readonly layoutDir: string;
  readonly arch: Arch;
  readonly layers: readonly Layer[];
  readonly runtime: object;
  readonly annotations: Annotations;
  readonly created: string;
}): Promise<Descriptor & { platform: Platform }> {
  const { layoutDir, arch, layers, runtime, annotations, created } = options;
  for (const { digest, file } of layers) await copyBlob(layoutDir, digest, file);
  const platform =
    arch === "arm64" ? { architecture: arch, os: "linux", variant: "v8" } : { architecture: arch, os: "linux" };
  const config = await writeBlob(layoutDir, mediaTypes.config, {
    created,
    ...platform,
    config: { ...runtime, Labels: annotations },
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ title }) => ({ created, created_by: `fairlead images: ${title}` })),
  });
  const manifest = await writeBlob(layoutDir, mediaTypes.manifest, {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config,
    layers: layers.map(({ digest, sizeBytes }) => ({ mediaType: mediaTypes.layer, digest, size: sizeBytes })),
    annotations,
  });
  return { ...manifest, platform };
}

/** Tells the ingredients of an image: it is a manifest of its own, whose subject is the image. */
export async function writeReferrer(options: {
  readonly layoutDir: string;
  readonly subject: Descriptor;
  readonly document: Buffer;
  readonly annotations: Annotations;
}): Promise<Descriptor & { platform: Platform }> {
  const { layoutDir, subject, document, annotations } = options;
  const config = await writeBlob(layoutDir, mediaTypes.empty, {});
  const layer = await writeBlob(layoutDir, mediaTypes.spdx, document);
  const { mediaType, digest, size } = subject;
  const manifest = await writeBlob(layoutDir, mediaTypes.manifest, {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    artifactType: mediaTypes.spdx,
    config,
    layers: [layer],
    subject: { mediaType, digest, size },
    annotations,
  });
  // No program runs on this platform, so no container runtime takes it for an image.
  // Its type stands in the manifest alone: older tools would drop it from the index, and change the index's digest so.
  return { ...manifest, platform: { architecture: "unknown", os: "unknown" } };
}

export function writeIndex(
  layoutDir: string,
  manifests: readonly Descriptor[],
  annotations: Annotations,
): Promise<Descriptor> {
  return writeBlob(layoutDir, mediaTypes.index, {
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests,
    annotations,
  });
}
