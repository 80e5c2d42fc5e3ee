// The images of this machine's architecture, built from what is compiled now once in a run of tests, each unpacked into a
// folder.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ensureBuilt, fillFolder, findImageTool } from "@fairlead/testkit";
import {
  type BuildImagesOptions,
  type BuiltImage,
  buildImages,
  type ImageProgram,
  unpackImage,
} from "../../deploy/images/index.ts";
import type { ImageRuntime } from "../fleet/run-image.ts";
import { readLayout } from "./read-layout.ts";

export interface UnpackedImage {
  readonly rootfs: string;
  readonly runtime: ImageRuntime;
}

const arch = process.arch === "arm64" ? "arm64" : "amd64";

/** Hub and agent. Copies of what the run has built. */
export async function copyImages(folder: string): Promise<readonly BuiltImage[]> {
  return await copyBuilt(folder, "hub-agent", { programs: ["hub", "agent"] });
}

/** The image for commands, with OpenTofu where tests of commands have built that. */
export async function copyExecuteImage(
  folder: string,
): Promise<{ readonly image: BuiltImage; readonly hasTofu: boolean }> {
  const hasTofu = (await findImageTool("tofu", { arch })) !== undefined;
  const goPrograms = ["fairlead-runner", "helm", ...(hasTofu ? (["tofu"] as const) : [])] as const;
  const name = hasTofu ? "execute-tofu" : "execute";
  const [image] = await copyBuilt(folder, name, { programs: ["agent-execute"], goPrograms });
  if (image === undefined) throw new Error("there is no image");
  return { image, hasTofu };
}

export async function unpackImages(folder: string): Promise<(program: ImageProgram) => UnpackedImage> {
  const images = new Map<ImageProgram, UnpackedImage>();
  for (const image of await copyImages(folder)) images.set(image.program, await unpack(folder, image));
  return (program) => {
    const image = images.get(program);
    if (image === undefined) throw new Error(`there is no image of ${program}`);
    return image;
  };
}

export async function unpackExecuteImage(
  folder: string,
): Promise<{ readonly image: UnpackedImage; readonly hasTofu: boolean }> {
  const { image, hasTofu } = await copyExecuteImage(folder);
  return { hasTofu, image: await unpack(folder, image) };
}

async function copyBuilt(
  folder: string,
  name: string,
  options: Pick<BuildImagesOptions, "programs" | "goPrograms">,
): Promise<readonly BuiltImage[]> {
  await ensureBuilt();
  const copy = join(folder, `built-${name}`);
  await mkdir(copy);
  // Programs of Go that nobody has built yet take minutes.
  await fillFolder({ name: `images-${name}`, folder: copy, waitMs: 900_000, make });
  return readList(await readFile(join(copy, list), "utf8"), copy);

  async function make(draft: string): Promise<void> {
    const built = await buildImages({ outDir: draft, arches: [arch], allowNewer: true, ...options });
    await writeFile(join(draft, list), JSON.stringify({ draft, built }));
  }
}

const list = "built.json";

/** The images lie in another folder than the one in which they were built. */
function readList(text: string, folder: string): readonly BuiltImage[] {
  const { draft, built } = JSON.parse(text) as { draft: string; built: readonly BuiltImage[] };
  const here = (path: string): string => path.replace(draft, folder);
  return built.map((image) => ({
    ...image,
    layoutDir: here(image.layoutDir),
    platforms: image.platforms.map((platform) => ({ ...platform, sbomFile: here(platform.sbomFile) })),
  }));
}

async function unpack(folder: string, { program, layoutDir }: BuiltImage): Promise<UnpackedImage> {
  const rootfs = join(folder, `${program}-root`);
  await unpackImage({ layoutDir, arch, targetDir: rootfs });
  const image = readLayout(layoutDir).images.get(arch);
  if (image === undefined) throw new Error("there is no image");
  return { rootfs, runtime: image.config.config };
}
