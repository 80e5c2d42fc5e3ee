// The images as a stranger finds them: sound by the OCI specification, the same from every build, with all that their
// programs load and nothing that helps an intruder. The test images-run.real.test.ts runs them.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { ensureBuilt, repoRoot } from "@fairlead/testkit";
import { extract, type Header } from "tar-stream";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { debianTree } from "../../deploy/images/contents/system.ts";
import type { TreeEntry } from "../../deploy/images/contents/tree.ts";
import {
  type Arch,
  type BuildImagesOptions,
  type BuiltImage,
  buildImages,
  type ImageProgram,
} from "../../deploy/images/index.ts";
import { readLock } from "../../deploy/images/lock.ts";
import { basePackages, debianFiles, recipes } from "../../deploy/images/recipes.ts";
import { fetchDebianPackages } from "../../deploy/images/sources/debian-packages.ts";
import { startRegistry } from "../fleet/start-registry.ts";
import { readElf } from "./read-elf.ts";
import { type Descriptor, digestOf, type Layout, readLayout } from "./read-layout.ts";
import { recordOnce } from "./record-once.ts";
import { copyExecuteImage, copyImages } from "./unpack-images.ts";

interface File {
  readonly header: Header;
  readonly content: Buffer;
}

interface Archive {
  /** Digest of the layer's archive, which isn't compressed. */
  readonly diffId: string;
  readonly files: ReadonlyMap<string, File>;
}

const programs = ["hub", "agent", "agent-execute"] as const;
const maxCompressedBytes = { hub: 80e6, agent: 60e6, "agent-execute": 130e6 };
const layouts = new Map<ImageProgram, Layout>();
const layersRead = new Map<string, Promise<Archive>>();
let folder: string;
let built: readonly BuiltImage[];
/** Why there is nothing for arm64 on this machine. */
let withoutArm = "";
/** The image for commands, for one architecture: programs of Go take minutes to build for another one. */
let execute: BuiltImage | undefined;
/** Why it isn't there on this machine. */
let withoutGo = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-images-"));
  await ensureBuilt();
  built = await build("first", ["amd64", "arm64"]).catch((error: { code?: string; message: string }) => {
    if (error.code !== "IMAGE_PACKAGES_UNAVAILABLE" || !error.message.includes("arm64")) throw error;
    withoutArm = error.message;
    return build("first", ["amd64"]);
  });
  await copyExecuteImage(folder)
    .then(({ image }) => (execute = image))
    .catch((error: { code?: string; message: string }) => {
      if (error.code !== "TOOLS_UNAVAILABLE") throw error;
      withoutGo = error.message;
    });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("the same inputs give the same digests in another folder", async () => {
  // What the tests that run images have built, or will copy.
  for (const { program, platforms } of await copyImages(folder)) {
    for (const again of platforms) {
      const first = imageOf(program).platforms.find(({ arch }) => arch === again.arch);
      expect(again.manifestDigest, program).toBe(first?.manifestDigest);
    }
  }
  expect(new Set(built.map(({ indexDigest }) => indexDigest)).size).toBe(2);
  // One for the other architecture, with another label, which alone makes it another image.
  const arch = withoutArm === "" ? "arm64" : "amd64";
  const [labelled] = await build("again", [arch], { programs: ["agent"], revision: "0123abc" });
  if (labelled === undefined) throw new Error("there is no image");
  const [again, first] = [readLayout(labelled.layoutDir), layoutOf("agent")].map(({ images }) => images.get(arch));
  expect(again?.manifest.layers).toEqual(first?.manifest.layers);
  expect(again?.config.rootfs).toEqual(first?.config.rootfs);
  expect(again?.descriptor.digest).not.toBe(first?.descriptor.digest);
});

// The agent's layers are among those of the hub, or are never kept.
test("layers that builds keep are those that a build without them makes", { timeout: 400_000 }, async () => {
  const kept = digestsOfKept(layoutOf("hub"));
  expect(Object.keys(kept).sort()).toEqual(["Node", "PostgreSQL"]);
  const made = await recordOnce({
    name: "fresh-layers",
    inputs: [],
    async find() {
      const [fresh] = await build("fresh", ["amd64"], { isFresh: true, programs: ["hub"] });
      if (fresh === undefined) throw new Error("there is no image");
      return digestsOfKept(readLayout(fresh.layoutDir));
    },
  });
  expect(made).toEqual(kept);
});

test("what git and ssh load is there for the other architecture, too", async () => {
  const { debian } = recipes["agent-execute"];
  const names = [...basePackages, ...debian];
  const locked = (await readLock()).debian.arm64.filter(({ name }) => names.includes(name));
  const packages = await fetchDebianPackages({ arch: "arm64", locked, allowNewer: true });
  const entries = await recordOnce({
    name: "debian-programs",
    inputs: packages.map(({ name, sha256 }) => `${name} ${sha256}`),
    find: async () => await Promise.all((await debianTree(packages)).map(describeEntry)),
  });
  const libraries = new Set(entries.map(({ path }) => posix.basename(path)));
  for (const file of debian.flatMap((name) => debianFiles[name] ?? []))
    expect(entries.map(({ path }) => path)).toContain(file);
  expect(entries.filter(({ machine }) => machine !== undefined).length).toBeGreaterThan(5);
  for (const { path, machine, needed } of entries) {
    if (machine !== undefined) expect(machine, path).toBe("arm64");
    expect(
      needed.filter((name) => !libraries.has(name)),
      path,
    ).toEqual([]);
  }
});

test("a registry gets it whole from a tool that knows nothing of us, and calls it by the same digest", async () => {
  await using registry = await startRegistry();
  for (const { program, layoutDir, version, indexDigest } of built) {
    const target = `docker://${registry.host}/fairlead/${program}:${version}`;
    await registry.skopeo(["copy", "--all", "--dest-tls-verify=false", `oci:${layoutDir}:${version}`, target]);
    const pushed = await fetch(`http://${registry.host}/v2/fairlead/${program}/manifests/${version}`, {
      headers: { accept: "application/vnd.oci.image.index.v1+json" },
    });
    expect(digestOf(Buffer.from(await pushed.arrayBuffer()))).toBe(indexDigest);
    const pulled = join(folder, `${program}-pulled`);
    const source = target.replace(`:${version}`, `@${indexDigest}`);
    await registry.skopeo(["copy", "--all", "--src-tls-verify=false", source, `oci:${pulled}:${version}`]);
    expect([...readLayout(pulled).stored].sort()).toEqual([...layoutOf(program).stored].sort());
  }
});

describe.each(programs)("%s", (program) => {
  beforeEach(({ skip }) => skip(program === "agent-execute" && withoutGo !== "", withoutGo));

  test("is a layout by the OCI specification, with one index for both architectures", async () => {
    const { layoutDir, indexDigest, version } = imageOf(program);
    const layout = layoutOf(program);
    expect(JSON.parse(await readFile(join(layoutDir, "oci-layout"), "utf8"))).toEqual({ imageLayoutVersion: "1.0.0" });
    expect({ ...layout.index, tag: layout.tag }).toMatchObject({ digest: indexDigest, tag: version });
    expect(layout.index.mediaType).toBe("application/vnd.oci.image.index.v1+json");
    expect([...layout.stored].sort()).toEqual([...layout.reached].sort());
    const isForBoth = withoutArm === "" && program !== "agent-execute";
    expect([...layout.images.keys()]).toEqual(isForBoth ? ["amd64", "arm64"] : ["amd64"]);
    for (const [arch, { descriptor, manifest, config }] of layout.images) {
      expect(descriptor.mediaType).toBe("application/vnd.oci.image.manifest.v1+json");
      expect(manifest).toMatchObject({ schemaVersion: 2, mediaType: descriptor.mediaType });
      expect(manifest.config.mediaType).toBe("application/vnd.oci.image.config.v1+json");
      expect(manifest.layers.every(({ mediaType }) => mediaType === layerType)).toBe(true);
      expect(config).toMatchObject({ architecture: arch, os: "linux", rootfs: { type: "layers" } });
      const archives = await Promise.all(manifest.layers.map((layer) => readLayer(layout, layer)));
      expect(config.rootfs.diff_ids).toEqual(archives.map(({ diffId }) => diffId));
      expect(manifest.annotations).toMatchObject({
        "org.opencontainers.image.title": `fairlead-${program}`,
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.licenses": "Apache-2.0",
      });
    }
  });

  test("says what it is made of, to those who hold its digest", async () => {
    const { platforms } = imageOf(program);
    const layout = layoutOf(program);
    expect(layout.referrers.length).toBe(platforms.length);
    for (const { arch, manifestDigest, sbomFile } of platforms) {
      const referrer = layout.referrers.find(({ subject }) => subject?.digest === manifestDigest);
      const [document] = referrer?.layers ?? [];
      if (document === undefined) throw new Error(`nobody refers to the image for ${arch}`);
      expect([referrer?.artifactType, document.mediaType]).toEqual(["application/spdx+json", "application/spdx+json"]);
      expect(layout.readBlob(document).equals(await readFile(sbomFile))).toBe(true);
      const sbom = JSON.parse(layout.readBlob(document).toString()) as { spdxVersion: string; packages: SpdxPackage[] };
      expect(sbom.spdxVersion).toBe("SPDX-2.3");
      const told = sbom.packages.flatMap(({ externalRefs }) => externalRefs.map((ref) => ref.referenceLocator));
      expect(told.filter((locator) => locator.startsWith("pkg:deb/")).join()).toContain(`libc6@`);
      const isProgram = (locator: string) => /\/(node-linux-|%40embedded-postgres\/)/.test(locator);
      expect(told.filter(isProgram).length).toBe(program === "hub" ? 3 : 1);
      const [helm] = told.filter((locator) => locator.startsWith("pkg:golang/helm.sh/helm/v4@v4."));
      expect(helm !== undefined).toBe(program === "agent-execute");
      const { version } = imageOf(program);
      expect(told.includes(`pkg:golang/fairlead.dev/tools/runner@${version}`)).toBe(program === "agent-execute");
      const npm = told.filter((locator) => locator.startsWith("pkg:npm/") && !isProgram(locator));
      expect(npm.sort()).toEqual(listPackages(await readFiles(layout, arch)).sort());
    }
  });

  test("holds all that its programs load, for the right machine", async () => {
    const layout = layoutOf(program);
    for (const arch of layout.images.keys()) {
      const files = await readFiles(layout, arch as Arch);
      const libraries = new Set([...files.keys()].map((path) => posix.basename(path)));
      let seen = 0;
      for (const [path, { content }] of files) {
        const elf = readElf(content);
        if (elf === undefined) continue;
        seen += 1;
        expect(elf.machine, path).toBe(arch);
        expect(
          elf.needed.filter((name) => !libraries.has(name)),
          path,
        ).toEqual([]);
        if (elf.interpreter !== undefined) expect(files.has(elf.interpreter.slice(1)), path).toBe(true);
      }
      expect(seen).toBeGreaterThan(5);
      expect(readElf(fileOf(files, "usr/bin/node"))?.needed).toContain("libstdc++.so.6");
      expect(
        fileOf(files, "etc/ssl/certs/ca-certificates.crt")
          .toString()
          .match(/BEGIN CERT/g)?.length,
      ).toBeGreaterThan(100);
    }
  });

  test("has no shell but where commands need one, nothing that can be written or gives rights, and no trace of where it was made", async () => {
    const layout = layoutOf(program);
    for (const arch of layout.images.keys()) {
      const files = await readFiles(layout, arch as Arch);
      const programs = [...files].filter(([, { header }]) => header.type === "file" && (header.mode & 0o111) !== 0);
      const loaders = programs.filter(([path]) => /^lib(64)?\/([^/]+\/)?ld-linux-[^/]+$/.test(path));
      const others = programs.filter((one) => !loaders.includes(one)).map(([path]) => path);
      const known = ["usr/bin/node", ...ofProgram[program]].filter(
        (path) => path !== "usr/bin/tofu" || files.has(path),
      );
      expect(others.sort()).toEqual(known.sort());
      const all = [...files].filter(([path]) => path !== "");
      const listWrong = (isWrong: (path: string, file: File) => boolean) =>
        all.filter(([path, file]) => isWrong(path, file)).map(([path]) => path);
      expect(all.length).toBeGreaterThan(100);
      expect(listWrong((_, { header }) => header.type !== "symlink" && (header.mode & 0o7022) !== 0)).toEqual([]);
      expect(listWrong((_, { header }) => !["file", "symlink", "directory"].includes(String(header.type)))).toEqual([]);
      expect(listWrong((_, { header }) => header.uid + header.gid + header.mtime.getTime() !== 0)).toEqual([]);
      expect(listWrong((_, { header }) => header.uname + header.gname !== "")).toEqual([]);
      expect(listWrong((path) => unwanted.test(path))).toEqual([]);
      const places = [repoRoot, folder, "/fairlead-template-"];
      expect(listWrong((_, { content }) => places.some((place) => content.includes(place)))).toEqual([]);
    }
  });

  test("is small enough to be pulled by every node", () => {
    const sizes = imageOf(program).platforms.map(({ arch, compressedBytes }) => ({ arch, compressedBytes }));
    console.info(sizes.map((one) => `${program} ${one.arch}: ${(one.compressedBytes / 1e6).toFixed(1)} MB`).join(", "));
    for (const { compressedBytes } of sizes) expect(compressedBytes).toBeLessThan(maxCompressedBytes[program]);
  });
});

interface SpdxPackage {
  readonly externalRefs: readonly { readonly referenceLocator: string }[];
}

/** A file of PostgreSQL's is called a map, too. */
const unwanted = /(?<!\/pg_filenode)\.map$|\.(d\.ts|tsx?|tsbuildinfo)$|\.(test|fixture)\./;
const ofProgram = {
  hub: ["opt/postgresql/17/bin/postgres", "opt/postgresql/18/bin/postgres", "usr/bin/tini"],
  agent: [],
  "agent-execute": [
    "bin/dash",
    "bin/sed",
    "bin/sleep",
    "bin/uname",
    "usr/bin/basename",
    "usr/bin/git",
    "usr/bin/ssh",
    "usr/bin/tini",
    ...["git-remote-http", "git-sh-i18n--envsubst", "git-submodule"].map((name) => `usr/lib/git-core/${name}`),
    "usr/bin/fairlead-runner",
    "usr/bin/helm",
    "usr/bin/tofu",
  ],
};
const layerType = "application/vnd.oci.image.layer.v1.tar+gzip";

function build(name: string, arches: readonly Arch[], more: Partial<BuildImagesOptions> = {}) {
  const ofBoth = { programs: ["hub", "agent"] as const, allowNewer: true };
  return buildImages({ outDir: join(folder, name), arches, ...ofBoth, ...more });
}

function imageOf(program: ImageProgram): BuiltImage {
  const image = [...built, ...(execute ? [execute] : [])].find((one) => one.program === program);
  if (image === undefined) throw new Error(`there is no image of ${program}`);
  return image;
}

/** Its digests are looked at once. */
function layoutOf(program: ImageProgram): Layout {
  const layout = layouts.get(program) ?? readLayout(imageOf(program).layoutDir);
  layouts.set(program, layout);
  return layout;
}

/** By the titles of layers that builds keep. */
function digestsOfKept(layout: Layout): Record<string, string | undefined> {
  const image = layout.images.get("amd64");
  const titles = image?.config.history.map(({ created_by }) => created_by.replace("fairlead images: ", "")) ?? [];
  const digests = titles.map((title, index) => [title, image?.manifest.layers[index]?.digest] as const);
  return Object.fromEntries(digests.filter(([title]) => ["Node", "PostgreSQL"].includes(title)));
}

async function describeEntry(entry: TreeEntry) {
  const elf = entry.kind === "file" ? readElf(await entry.read()) : undefined;
  return { path: entry.path, machine: elf?.machine, needed: elf?.needed ?? [] };
}

/** Everything in an image by its path. */
async function readFiles(layout: Layout, arch: Arch): Promise<Map<string, File>> {
  const layers = layout.images.get(arch)?.manifest.layers ?? [];
  const read = await Promise.all(layers.map((layer) => readLayer(layout, layer)));
  return new Map(read.flatMap(({ files }) => [...files]));
}

/** Both programs have their first layers in common. Throws when entries aren't in order. */
function readLayer(layout: Layout, descriptor: Descriptor): Promise<Archive> {
  const known = layersRead.get(descriptor.digest) ?? read();
  layersRead.set(descriptor.digest, known);
  return known;

  async function read(): Promise<Archive> {
    const archive = gunzipSync(layout.readBlob(descriptor));
    const entries = extract();
    entries.end(archive);
    const files = new Map<string, File>();
    let last = "";
    for await (const entry of entries) {
      const path = entry.header.name.replace(/\/$/, "");
      if (path <= last) throw new Error(`${path} comes after ${last}`);
      last = path;
      files.set(path, { header: entry.header, content: await buffer(entry) });
    }
    return { diffId: digestOf(archive), files };
  }
}

function fileOf(files: ReadonlyMap<string, File>, path: string): Buffer {
  const file = files.get(path);
  if (file === undefined) throw new Error(`there is no ${path}`);
  return file.content;
}

/** Purls of the npm packages that lie in node_modules. */
function listPackages(files: ReadonlyMap<string, File>): string[] {
  const manifests = [...files].filter(([path]) => /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(path));
  return manifests.map(([, { content }]) => {
    const { name, version } = JSON.parse(content.toString()) as { name: string; version: string };
    return `pkg:npm/${name.replace("@", "%40")}@${version}`;
  });
}
