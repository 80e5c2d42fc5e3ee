// The part of an image that isn't ours: C and C++ libraries, certificates of public authorities, who the users are, and the
// few programs of Debian that recipes name. Nothing that runs as another user.
import { imageErrors } from "../errors.ts";
import { triplet } from "../platform.ts";
import { caBundlePath, debianFiles } from "../recipes.ts";
import type { DebianPackage } from "../sources/debian-packages.ts";
import { type ArchivedFile, readDeb } from "../sources/read-archive.ts";
import { run } from "../sources/run.ts";
import { compare, type TreeEntry, textFile } from "./tree.ts";

export async function systemTree(packages: readonly DebianPackage[]): Promise<TreeEntry[]> {
  return [...accounts, ...(await debianTree(packages))];
}

/** Holds the packages that only one image has. */
export async function debianTree(packages: readonly DebianPackage[]): Promise<TreeEntry[]> {
  return (await Promise.all(packages.map(packageTree))).flat();
}

/** Scanners need to know which release of Debian the packages are of. */
export async function readRelease(packages: readonly DebianPackage[]): Promise<string> {
  const baseFiles = packages.find(({ name }) => name === "base-files");
  const [release] = baseFiles ? await readDeb(baseFiles.file, (path) => path === "usr/lib/os-release") : [];
  return /^VERSION_ID="?([^"\n]+)/m.exec(release?.content.toString() ?? "")?.[1] ?? "unknown";
}

async function packageTree(one: DebianPackage): Promise<TreeEntry[]> {
  const wanted = wantedOf(one);
  const [files, control] = await Promise.all([readDeb(one.file, wanted), run("dpkg-deb", ["--field", one.file])]);
  if (files.length === 0)
    throw imageErrors.IMAGE_PACKAGES_UNAVAILABLE({ wanted: `The files that are needed from ${one.name}` });
  const authorities = files.filter(({ path }) => isAuthority(path)).sort((a, b) => compare(a.path, b.path));
  return [
    ...files.filter(({ path }) => !isAuthority(path)).map((file) => toEntry(file, isProgramFile(one.name, file.path))),
    ...(authorities.length === 0 ? [] : [textFile(caBundlePath, joinLines(authorities))]),
    // Scanners look here for the packages of an image without dpkg.
    textFile(`var/lib/dpkg/status.d/${one.name}`, control),
  ];
}

function wantedOf({ name, arch }: DebianPackage): (path: string) => boolean {
  // Libraries lie directly in these folders. Character sets, auditors and helpers of debuggers lie deeper.
  const libraries = new RegExp(`^(?:usr/)?lib(?:64)?/(?:${triplet[arch]}/)?[^/]+\\.so[.\\d]*$`);
  const licences = name === "base-files" ? /^usr\/(?:lib\/os-release|share\/common-licenses\/.+)$/ : libraries;
  const isTerms = (path: string) => path === `usr/share/doc/${name}` || path === `usr/share/doc/${name}/copyright`;
  return (path) =>
    isTerms(path) || isAuthority(path) || isProgramFile(name, path) || libraries.test(path) || licences.test(path);
}

function isProgramFile(name: string, path: string): boolean {
  return debianFiles[name]?.includes(path) ?? false;
}

function isAuthority(path: string): boolean {
  return /^usr\/share\/ca-certificates\/.+\.crt$/.test(path);
}

/** Joins them as update-ca-certificates does. */
function joinLines(files: readonly ArchivedFile[]): string {
  return files.map(({ content }) => `${content.toString().trimEnd()}\n`).join("");
}

function toEntry({ path, content, link, mode }: ArchivedFile, isProgram: boolean): TreeEntry {
  if (link !== undefined) return { kind: "link", path, target: link };
  // The loader is a program as well.
  const isExecutable = (isProgram && (mode & 0o111) !== 0) || /(^|\/)ld-linux[^/]*$/.test(path);
  return { kind: "file", path, isExecutable, read: async () => content };
}

const accounts: readonly TreeEntry[] = [
  textFile(
    "etc/passwd",
    "root:x:0:0:root:/:/nonexistent\nnobody:x:65534:65534:nobody:/:/nonexistent\nfairlead:x:65532:65532:fairlead:/:/nonexistent\nfairlead-runner:x:65533:65532:fairlead-runner:/:/nonexistent\n",
  ),
  textFile("etc/group", "root:x:0:\nnogroup:x:65534:\nfairlead:x:65532:\n"),
  textFile("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"),
  { kind: "link", path: "etc/os-release", target: "../usr/lib/os-release" },
  { kind: "link", path: "var/run", target: "/run" },
  { kind: "folder", path: "run" },
];
