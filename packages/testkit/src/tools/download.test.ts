// Programs from a server on loopback that plays the makers' release pages.
import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { kubernetesVersion, type ToolName } from "./catalog.ts";
import { downloadPrograms } from "./download.ts";
import { findDownload } from "./downloads.ts";
import { ensureTools } from "./ensure-tools.ts";

const run = promisify(execFile);
const lines: string[] = [];
const onProgress = (line: string) => void lines.push(line);
const platform = `${process.platform}-${process.arch}`;

let folder: string;
let server: Server;
let files: Map<string, Buffer>;
let asked: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "download-"));
  [files, asked, lines.length] = [new Map(), [], 0];
  server = createServer((req, res) => {
    asked.push(req.url ?? "");
    const content = files.get(req.url ?? "");
    if (req.url === "/mirror/moved.tar.gz") res.writeHead(302, { location: "/mirror/programs.tar.gz" }).end();
    else if (content === undefined) res.writeHead(404).end();
    else res.writeHead(200, { "content-length": content.length }).end(content);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  vi.stubEnv("FAIRLEAD_CACHE_DIR", join(folder, "cache"));
  vi.stubEnv("FAIRLEAD_DOWNLOAD_FROM", `http://127.0.0.1:${(server.address() as AddressInfo).port}/mirror/`);
  vi.stubEnv("KUBEBUILDER_ASSETS", undefined);
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

describe("a published file", () => {
  it("is fetched once for all the programs that it has", async () => {
    const manifestFile = await publishArchive({ kubectl: "one", "kube-scheduler": "two" });
    const paths = await ensureTools(["kubectl", "kube-scheduler"], { onProgress, download: true, manifestFile });
    expect(await readFile(paths.kubectl, "utf8")).toContain("one");
    expect((await run(paths["kube-scheduler"])).stdout).toBe("two\n");
    expect(asked).toEqual(["/mirror/programs.tar.gz"]);
    expect(lines[0]).toMatch(/^downloading http.*programs\.tar\.gz \(\d+\.\d MB\)$/);
  });

  it("is followed to where it has moved", async () => {
    const manifestFile = await publishArchive({ kubectl: "one" }, "moved.tar.gz");
    const { kubectl } = await ensureTools(["kubectl"], { onProgress, download: true, manifestFile });
    expect((await run(kubectl)).stdout).toBe("one\n");
    expect(asked).toEqual(["/mirror/moved.tar.gz", "/mirror/programs.tar.gz"]);
  });

  it("of a server of HTTP/1.0 that closes when it has sent all comes whole", async () => {
    const content = randomBytes(8 * 1024 * 1024);
    const old = createTcpServer((socket) => {
      socket.once("data", () => socket.end(Buffer.concat([Buffer.from("HTTP/1.0 200 OK\r\n\r\n"), content])));
      socket.on("error", () => socket.destroy());
    }).listen(0, "127.0.0.1");
    await once(old, "listening");
    const url = `http://127.0.0.1:${(old.address() as AddressInfo).port}/kwok`;
    const into = join(folder, "old");
    await mkdir(into);
    const digest = { algorithm: "sha256", hex: createHash("sha256").update(content).digest("hex") } as const;
    const wanted = { url, fileName: "kwok", digest, programs: { kwok: "." } };
    await downloadPrograms(wanted, { folder: into, onProgress, signal: undefined });
    expect((await readFile(join(into, "kwok"))).equals(content)).toBe(true);
    old.close();
  });

  it("isn't asked for by whoever didn't say so", async () => {
    const manifestFile = await publishArchive({ kubectl: "one" });
    vi.stubEnv("PATH", join(folder, "nothing"));
    await expect(ensureTools(["kubectl"], { onProgress, manifestFile })).rejects.toMatchObject({
      code: "TOOLS_UNAVAILABLE",
    });
    expect(asked).toEqual([]);
  });

  it("that isn't what was expected is refused with both digests, and nothing of it stays", async () => {
    const manifestFile = await publishArchive({ kubectl: "one" });
    const sum = createHash("sha512").update("someone else's").digest("hex");
    files.set("/mirror/programs.tar.gz", Buffer.from("someone else's"));
    await expect(ensureTools(["kubectl"], { onProgress, download: true, manifestFile })).rejects.toMatchObject({
      code: "TOOLS_DOWNLOAD_MISMATCH",
      message: expect.stringContaining(sum),
    });
    const kept = await readdir(join(folder, "cache", "tools", "downloaded"), { recursive: true });
    expect(kept.filter((name) => name.includes("kubectl") || name.includes("programs"))).toEqual([]);
  });

  it("that isn't there is an error that names its address and what to do", async () => {
    const manifestFile = await publishArchive({ kubectl: "one" });
    files.clear();
    await expect(ensureTools(["kubectl"], { onProgress, download: true, manifestFile })).rejects.toMatchObject({
      code: "TOOLS_DOWNLOAD_FAILED",
      message: expect.stringMatching(/programs\.tar\.gz could not be downloaded: the answer is 404\.$/),
      hint: expect.stringContaining("FAIRLEAD_DOWNLOAD_FROM"),
    });
  });

  it("that can't be reached because nobody listens is the same error", async () => {
    const manifestFile = await publishArchive({ kubectl: "one" });
    vi.stubEnv("FAIRLEAD_DOWNLOAD_FROM", "http://127.0.0.1:9");
    await expect(ensureTools(["kubectl"], { onProgress, download: true, manifestFile })).rejects.toMatchObject({
      code: "TOOLS_DOWNLOAD_FAILED",
    });
  });

  it("without a known address is built, where there is Go", async () => {
    vi.stubEnv("FAIRLEAD_DOWNLOAD_FROM", undefined);
    vi.stubEnv("PATH", join(folder, "bin"));
    await install(join(folder, "bin"), "go", `echo '#!/bin/sh' > "$5"\n/bin/chmod 755 "$5"`);
    const manifestFile = join(folder, "downloads.json");
    const file = { platform, releaseFile: "leash", sha256: "0".repeat(64), programs: { leash: "." } };
    await writeFile(manifestFile, JSON.stringify({ releaseUrl: null, files: [file] }));
    const { leash } = await ensureTools(["leash"], { onProgress, download: true, manifestFile });
    expect(leash).toContain(join("tools", "leash-"));
  });
});

describe("tools/downloads.json", () => {
  const demoPrograms: readonly ToolName[] = [
    ...(["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"] as const),
    ...(["kubectl", "kwok", "podserver", "leash", "runner"] as const),
  ];

  it.each(["linux-x64", "linux-arm64"])("has all that the demo needs on %s, each with a whole digest", (name) => {
    for (const program of demoPrograms) {
      const found = findDownload(program, { platform: name, from: "http://127.0.0.1:9/files" });
      expect(found?.url, program).toBe(`http://127.0.0.1:9/files/${found?.fileName}`);
      expect(found?.digest.hex, program).toMatch(found?.digest.algorithm === "sha512" ? /^[0-9a-f]{128}$/ : sha256);
    }
  });

  it("names programs of the minor version that is built from the modules", () => {
    const url = findDownload("kube-apiserver", { platform: "linux-x64", from: undefined })?.url ?? "";
    expect(/\/(v\d+\.\d+)\./.exec(url)?.[1]).toBe(/^v\d+\.\d+/.exec(kubernetesVersion)?.[0]);
  });
});

const sha256 = /^[0-9a-f]{64}$/;

/** Scripts that print a text, in an archive as the makers' are; gives the manifest that names it. */
async function publishArchive(programs: Readonly<Record<string, string>>, name = "programs.tar.gz"): Promise<string> {
  const source = join(folder, "source", "server", "bin");
  for (const [program, text] of Object.entries(programs)) await install(source, program, `echo ${text}`);
  await run("tar", ["-czf", "programs.tar.gz", "server"], { cwd: join(folder, "source") });
  const archive = await readFile(join(folder, "source", "programs.tar.gz"));
  files.set("/mirror/programs.tar.gz", archive);
  const manifestFile = join(folder, "downloads.json");
  const entries = Object.keys(programs).map((program) => [program, `server/bin/${program}`]);
  const file = {
    platform,
    url: `https://releases.example.com/v1/${name}`,
    sha512: createHash("sha512").update(archive).digest("hex"),
    programs: Object.fromEntries(entries),
  };
  await writeFile(manifestFile, JSON.stringify({ releaseUrl: null, files: [file] }));
  return manifestFile;
}

async function install(into: string, name: string, script: string): Promise<void> {
  await mkdir(into, { recursive: true });
  await writeFile(join(into, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(into, name), 0o755);
}
