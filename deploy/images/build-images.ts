import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./cache.ts";
import { writeSbom } from "./contents/sbom.ts";
import { readRelease } from "./contents/system.ts";
import { argumentInvalid } from "./errors.ts";
import type { GoProgramName } from "./go-programs.ts";
import { type Layers, openLayers } from "./layers.ts";
import { type ImageLock, readLock } from "./lock.ts";
import type { Descriptor } from "./oci/blobs.ts";
import { type Annotations, writeImage, writeIndex, writeReferrer } from "./oci/image.ts";
import type { Layer } from "./oci/layer.ts";
import { closeLayout, openLayout } from "./oci/layout.ts";
import { type Arch, arches } from "./platform.ts";
import {
  basePackages,
  type ImageProgram,
  type ImageRecipe,
  postgresPackages,
  programs,
  recipes,
  runtimeOf,
} from "./recipes.ts";
import { type DebianPackage, type DebianSources, fetchDebianPackages } from "./sources/debian-packages.ts";
import { fetchGoPrograms } from "./sources/go-programs.ts";
import { type LockedPackage, listLockedPackages } from "./sources/locked-packages.ts";

export interface BuildImagesOptions extends DebianSources {
  /** Gets a folder for each program; an earlier one of that name goes. */
  readonly outDir: string;
  /** Both unless told. */
  readonly programs?: readonly ImageProgram[] | undefined;
  /** Both unless told. */
  readonly arches?: readonly Arch[] | undefined;
  /** The commit, for a label. It changes the digests. */
  readonly revision?: string | undefined;
  /** The address of the sources, for a label. It changes the digests. */
  readonly source?: string | undefined;
  /** Takes the newest of those packages of Debian whose locked version is gone. Digests then follow the mirror. */
  readonly allowNewer?: boolean | undefined;
  /** Time of every file, in seconds since 1970. SOURCE_DATE_EPOCH of the environment, or 0, unless told. */
  readonly epoch?: number | undefined;
  /** Another file than deploy/images/lock.json. */
  readonly lockPath?: string | undefined;
  /** Only these of the programs of Go that a recipe names; all unless told. */
  readonly goPrograms?: readonly GoProgramName[] | undefined;
  /** Compresses Node, PostgreSQL and programs of Go anew, though an earlier build has kept them. */
  readonly isFresh?: boolean | undefined;
  readonly onProgress?: ((line: string) => void) | undefined;
}

export interface BuiltImage {
  readonly program: ImageProgram;
  readonly version: string;
  /** An OCI image layout with one entry, tagged by the version. */
  readonly layoutDir: string;
  /** Digest of the index over all architectures. A chart's image.digest pins it. */
  readonly indexDigest: string;
  readonly platforms: readonly BuiltPlatform[];
}

export interface BuiltPlatform {
  readonly arch: Arch;
  readonly manifestDigest: string;
  /** The bytes that a node pulls. */
  readonly compressedBytes: number;
  /** The SPDX document, which is in the layout too. */
  readonly sbomFile: string;
}

/** Makes an OCI image layout per program from the last `npm run build`. The same inputs give the same digests. */
export async function buildImages(options: BuildImagesOptions): Promise<readonly BuiltImage[]> {
  const { outDir, onProgress = () => {} } = options;
  const wanted = { programs: options.programs ?? programs, arches: options.arches ?? arches };
  await mkdir(outDir, { recursive: true });
  const scratch = await mkdtemp(join(outDir, ".layers-"));
  try {
    const [lock, version] = [await readLock(options.lockPath), await readVersion()];
    const epoch = options.epoch ?? readEpoch();
    const layers = openLayers({ lock, epoch, scratch, isFresh: options.isFresh ?? false });
    const context = { options, lock, layers, epoch, version };
    const grounds = await Promise.all(wanted.arches.map((arch) => prepareGround(context, arch, wanted.programs)));
    const built: BuiltImage[] = [];
    for (const program of wanted.programs) {
      const image = await buildImage(context, program, grounds);
      onProgress(`${program}: ${image.layoutDir} ${image.indexDigest}`);
      built.push(image);
    }
    return built;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

interface Context {
  readonly options: BuildImagesOptions;
  readonly lock: ImageLock;
  readonly layers: Layers;
  readonly epoch: number;
  readonly version: string;
}

/** The part of an image that all programs share on one architecture. */
interface Ground {
  readonly arch: Arch;
  /** Those too that only one of the programs has. */
  readonly debian: readonly DebianPackage[];
  readonly release: string;
  readonly layers: readonly Layer[];
}

async function prepareGround(context: Context, arch: Arch, wanted: readonly ImageProgram[]): Promise<Ground> {
  const { options, lock } = context;
  const names = [...basePackages, ...wanted.flatMap((program) => recipes[program].debian)];
  const locked = lock.debian[arch].filter(({ name }) => names.includes(name));
  options.onProgress?.(`${arch}: packages of Debian and Node ${lock.node[arch].version}`);
  const debian = await fetchDebianPackages({ ...options, arch, locked });
  const layers = await context.layers.ground({ arch, debian });
  return { arch, debian, release: await readRelease(debian), layers };
}

async function buildImage(context: Context, program: ImageProgram, grounds: readonly Ground[]): Promise<BuiltImage> {
  const { options, version } = context;
  const recipe = recipes[program];
  const layoutDir = join(options.outDir, program);
  await openLayout(layoutDir);
  const annotations = annotate(recipe, options, version);
  const manifests: Descriptor[] = [];
  const referrers: Descriptor[] = [];
  const platforms: BuiltPlatform[] = [];
  for (const ground of grounds) {
    const { image, referrer, platform } = await buildPlatform(context, program, ground, annotations);
    manifests.push(image);
    referrers.push(referrer);
    platforms.push(platform);
  }
  const index = await writeIndex(layoutDir, [...manifests, ...referrers], annotations);
  await closeLayout(layoutDir, index, version);
  return { program, version, layoutDir, indexDigest: index.digest, platforms };
}

async function buildPlatform(context: Context, program: ImageProgram, ground: Ground, annotations: Annotations) {
  const { options, lock, epoch, version } = context;
  const { arch, release } = ground;
  const recipe = recipes[program];
  const { title, hasDatabase } = recipe;
  const names = recipe.goPrograms.filter((name) => options.goPrograms?.includes(name) ?? true);
  const go = await fetchGoPrograms(names, { arch, version, onProgress: options.onProgress });
  const layoutDir = join(options.outDir, program);
  const created = new Date(epoch * 1000).toISOString().replace(".000Z", "Z");
  const leftOut = hasDatabase ? postgresPackages : undefined;
  const packages = await listLockedPackages(recipe.workspace, { arch, leftOut });
  const debian = ground.debian.filter(({ name }) => basePackages.includes(name) || recipe.debian.includes(name));
  const layers = [...ground.layers, ...(await context.layers.program({ arch, recipe, debian, go, packages }))];
  const runtime = runtimeOf(ownName(packages, recipe), recipe);
  const image = await writeImage({ layoutDir, arch, layers, runtime, annotations, created });
  const postgres = hasDatabase ? lock.postgres.versions.map((one) => one.packages[arch]) : [];
  const parts = { node: lock.node[arch], postgres, go, debian, release, packages };
  const document = writeSbom({ title, version, arch, created, ...parts });
  const sbomFile = join(options.outDir, `${program}-${arch}.spdx.json`);
  await writeFile(sbomFile, document);
  const described = { ...annotations, "org.opencontainers.image.title": `${title}-${arch}.spdx.json` };
  const referrer = await writeReferrer({ layoutDir, subject: image, document, annotations: described });
  const compressedBytes = layers.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const platform = { arch, manifestDigest: image.digest, compressedBytes, sbomFile };
  return { image, referrer, platform };
}

function ownName(packages: readonly LockedPackage[], { workspace }: ImageRecipe): string {
  return packages.find(({ location }) => location === workspace)?.name ?? workspace;
}

/** Their order is that of other tools, so that the index keeps its digest on its way to a registry. */
function annotate(recipe: ImageRecipe, { revision, source }: BuildImagesOptions, version: string): Annotations {
  const prefix = "org.opencontainers.image";
  return {
    [`${prefix}.description`]: recipe.description,
    [`${prefix}.licenses`]: "Apache-2.0",
    ...(revision !== undefined && { [`${prefix}.revision`]: revision }),
    ...(source !== undefined && { [`${prefix}.source`]: source }),
    [`${prefix}.title`]: recipe.title,
    [`${prefix}.version`]: version,
  };
}

async function readVersion(): Promise<string> {
  return (JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string }).version;
}

function readEpoch(): number {
  const text = process.env["SOURCE_DATE_EPOCH"] ?? "0";
  if (!/^\d{1,11}$/.test(text))
    throw argumentInvalid(`SOURCE_DATE_EPOCH is "${text}", which isn't a number of seconds.`);
  return Number(text);
}
