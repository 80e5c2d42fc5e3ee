// The images of this machine's architecture, built from what is compiled now, each unpacked into a folder.
import { join } from "node:path";
import { ensureBuilt, findImageTool } from "@fairlead/testkit";
import { type BuildImagesOptions, buildImages, type ImageProgram, unpackImage } from "../../deploy/images/index.ts";
import type { ImageRuntime } from "../fleet/run-image.ts";
import { readLayout } from "./read-layout.ts";

export interface UnpackedImage {
  readonly rootfs: string;
  readonly runtime: ImageRuntime;
}

export async function unpackImages(
  folder: string,
  programs: readonly ImageProgram[],
  more: Pick<BuildImagesOptions, "goPrograms"> = {},
): Promise<(program: ImageProgram) => UnpackedImage> {
  await ensureBuilt();
  const arch = process.arch === "arm64" ? "arm64" : "amd64";
  const images = new Map<ImageProgram, UnpackedImage>();
  for (const { program, layoutDir } of await buildImages({
    outDir: folder,
    programs,
    arches: [arch],
    allowNewer: true,
    ...more,
  })) {
    const rootfs = join(folder, `${program}-root`);
    await unpackImage({ layoutDir, arch, targetDir: rootfs });
    const image = readLayout(layoutDir).images.get(arch);
    if (image === undefined) throw new Error("there is no image");
    images.set(program, { rootfs, runtime: image.config.config });
  }
  return (program) => {
    const image = images.get(program);
    if (image === undefined) throw new Error(`there is no image of ${program}`);
    return image;
  };
}

/** The image for commands, with OpenTofu where tests of commands have built that. */
export async function unpackExecuteImage(
  folder: string,
): Promise<{ readonly image: UnpackedImage; readonly hasTofu: boolean }> {
  const hasTofu = (await findImageTool("tofu", { arch: process.arch === "arm64" ? "arm64" : "amd64" })) !== undefined;
  const goPrograms = ["fairlead-runner", "helm", ...(hasTofu ? (["tofu"] as const) : [])] as const;
  return { hasTofu, image: (await unpackImages(folder, ["agent-execute"], { goPrograms }))("agent-execute") };
}
