// tools/downloads.json names the published file of each program, and the digest that it must have. The digests of others'
// files are those that their publishers print. Our own programs are built so that each build gives the same bytes.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repoRoot } from "../repo-root.ts";
import type { ToolName } from "./catalog.ts";

export interface Download {
  readonly fileName: string;
  /** Undefined for a file of our own release while this checkout names no address of those. */
  readonly url: string | undefined;
  readonly digest: { readonly algorithm: "sha256" | "sha512"; readonly hex: string };
  /** The path of each program in the archive; `.` when the file is no archive but the program itself. */
  readonly programs: Readonly<Partial<Record<ToolName, string>>>;
}

interface Manifest {
  /** Folder with the files of our own release. */
  readonly releaseUrl: string | null;
  readonly files: readonly ManifestFile[];
}

type ManifestFile = {
  /** Node's name for it: linux-x64. */
  readonly platform: string;
  readonly programs: Readonly<Partial<Record<ToolName, string>>>;
} & ({ readonly url: string } | { readonly releaseFile: string }) &
  ({ readonly sha256: string } | { readonly sha512: string });

/** The file that has the program for this platform. `from` is a mirror: a folder with all the files by their names. */
export function findDownload(
  name: ToolName,
  options: {
    readonly platform: string;
    readonly from: string | undefined;
    readonly manifestFile?: string | undefined;
  },
): Download | undefined {
  const { releaseUrl, files } = readManifest(options.manifestFile);
  const file = files.find(({ platform, programs }) => platform === options.platform && name in programs);
  if (file === undefined) return undefined;
  const fileName = "url" in file ? file.url.slice(file.url.lastIndexOf("/") + 1) : file.releaseFile;
  const folder = options.from ?? releaseUrl;
  const inFolder = folder === null ? undefined : `${folder.replace(/\/+$/, "")}/${fileName}`;
  return {
    fileName,
    url: "url" in file && options.from === undefined ? file.url : inFolder,
    digest: "sha512" in file ? { algorithm: "sha512", hex: file.sha512 } : { algorithm: "sha256", hex: file.sha256 },
    programs: file.programs,
  };
}

function readManifest(file = join(repoRoot, "tools", "downloads.json")): Manifest {
  return JSON.parse(readFileSync(file, "utf8")) as Manifest;
}
