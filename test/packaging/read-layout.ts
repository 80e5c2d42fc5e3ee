// An OCI image layout as a stranger's tool reads it: by its digests alone, with no code of the builder.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: string; readonly os: string; readonly variant?: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Manifest {
  readonly schemaVersion: number;
  readonly mediaType: string;
  readonly artifactType?: string;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
  readonly subject?: Descriptor;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface ImageConfig {
  readonly architecture: string;
  readonly os: string;
  readonly config: { readonly Entrypoint: string[]; readonly Env: string[]; readonly User: string };
  readonly rootfs: { readonly type: string; readonly diff_ids: readonly string[] };
  /** Of each layer. */
  readonly history: readonly { readonly created_by: string }[];
}

export interface Layout {
  readonly tag: string | undefined;
  readonly index: Descriptor;
  /** Images by architecture. */
  readonly images: ReadonlyMap<string, { descriptor: Descriptor; manifest: Manifest; config: ImageConfig }>;
  readonly referrers: readonly Manifest[];
  readBlob(descriptor: Descriptor): Buffer;
  /** Digests of all files below blobs. */
  readonly stored: readonly string[];
  /** Digests that are reached from index.json. */
  readonly reached: ReadonlySet<string>;
}

/** Throws when a blob isn't what its descriptor says. */
export function readLayout(folder: string): Layout {
  const reached = new Set<string>();
  const readBlob = (descriptor: Descriptor): Buffer => {
    const content = readFileSync(join(folder, "blobs", ...descriptor.digest.split(":")));
    if (digestOf(content) !== descriptor.digest) throw new Error(`${descriptor.digest} has another digest`);
    if (content.length !== descriptor.size) throw new Error(`${descriptor.digest} has ${content.length} bytes`);
    reached.add(descriptor.digest);
    return content;
  };
  const readJson = <Content>(descriptor: Descriptor): Content => JSON.parse(readBlob(descriptor).toString()) as Content;
  const top = JSON.parse(readFileSync(join(folder, "index.json"), "utf8")) as { manifests: Descriptor[] };
  const [index, ...others] = top.manifests;
  if (index === undefined || others.length > 0) throw new Error("the layout hasn't exactly one entry");
  const { manifests } = readJson<{ manifests: Descriptor[] }>(index);
  const images = new Map<string, { descriptor: Descriptor; manifest: Manifest; config: ImageConfig }>();
  const referrers: Manifest[] = [];
  for (const descriptor of manifests) {
    const manifest = readJson<Manifest>(descriptor);
    for (const blob of [manifest.config, ...manifest.layers]) readBlob(blob);
    if (manifest.subject !== undefined) referrers.push(manifest);
    else
      images.set(descriptor.platform?.architecture ?? "", { descriptor, manifest, config: readJson(manifest.config) });
  }
  const stored = readdirSync(join(folder, "blobs", "sha256")).map((name) => `sha256:${name}`);
  return {
    tag: index.annotations?.["org.opencontainers.image.ref.name"],
    index,
    images,
    referrers,
    readBlob,
    stored,
    reached,
  };
}

export function digestOf(content: Buffer): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}
