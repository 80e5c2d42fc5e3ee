// A binary comes from one of several places. A stand-in for `go` notes each call: its output is not the question here.
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { kubernetesVersion } from "./catalog.ts";
import { ensureTools } from "./ensure-tools.ts";

const run = promisify(execFile);
const lines: string[] = [];
const onProgress = (line: string) => void lines.push(line);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ensure-tools-"));
  lines.length = 0;
  vi.stubEnv("FAIRLEAD_CACHE_DIR", join(folder, "cache"));
  vi.stubEnv("FAIRLEAD_DOWNLOAD_FROM", undefined);
  vi.stubEnv("KUBEBUILDER_ASSETS", undefined);
  vi.stubEnv("PATH", join(folder, "bin"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

describe("a binary", () => {
  it("is built once and then taken from the cache, which its module's state names", async () => {
    await installGo();
    const { leash } = await ensureTools(["leash"], { onProgress });
    expect(basename(dirname(leash))).toMatch(/^leash-[0-9a-f]{16}$/);
    expect(lines).toEqual(["building leash (.)", expect.stringMatching(/^built leash in \d+ s$/)]);
    expect(await ensureTools(["leash"], { onProgress })).toEqual({ leash });
    expect(await buildCount()).toBe(1);
    expect(await readdir(dirname(leash))).toEqual(["leash"]);
  });

  it("is built by one of several processes that want it at once", async () => {
    // A build that lasts until another process waits for it; it ends without one, too, and the test fails.
    const gate = join(folder, "waited-for");
    await installGo(`n=0; until [ -e "${gate}" ] || [ $n -ge 150 ]; do sleep 0.1; n=$((n + 1)); done`);
    const script = `import { ensureTools } from "${join(import.meta.dirname, "ensure-tools.ts")}";
      console.log((await ensureTools(["leash"])).leash);`;
    const args = ["--conditions=@fairlead/source", "--input-type=module", "--eval", script];
    const runs = Array.from({ length: 3 }, () => run(process.execPath, args));
    for (const { child } of runs) {
      child.stderr?.on("data", (text) => String(text).includes("waiting") && writeFileSync(gate, ""));
    }
    const results = await Promise.all(runs);
    expect(new Set(results.map(({ stdout }) => stdout)).size).toBe(1);
    expect(await buildCount()).toBe(1);
    expect(results.some(({ stderr }) => stderr.includes("waiting for another process that makes leash"))).toBe(true);
  });

  it("is stamped with the version that the module file names", async () => {
    await installGo();
    await ensureTools(["kubectl"], { onProgress });
    expect(await readFile(join(folder, "calls"), "utf8")).toContain(`version.gitVersion=${kubernetesVersion} `);
  });

  it("is taken from PATH when its version fits, and from KUBEBUILDER_ASSETS rather than that", async () => {
    await install("bin", "kubectl", `echo "Client Version: ${kubernetesVersion}"`);
    expect((await ensureTools(["kubectl"], { onProgress })).kubectl).toBe(join(folder, "bin", "kubectl"));
    vi.stubEnv("FAIRLEAD_CACHE_DIR", join(folder, "cache-2"));
    vi.stubEnv("KUBEBUILDER_ASSETS", join(folder, "assets"));
    await install("assets", "kubectl", `echo "Client Version: ${kubernetesVersion}"`);
    expect((await ensureTools(["kubectl"], { onProgress })).kubectl).toBe(join(folder, "assets", "kubectl"));
  });

  it.each(["Client Version: v1.32.4", `Client Version: ${kubernetesVersion}-dispatcher`, "", "garbage"])(
    "is not taken from PATH when it says %j",
    async (answer) => {
      await install("bin", "kubectl", `echo "${answer}"`);
      await installGo();
      expect((await ensureTools(["kubectl"], { onProgress })).kubectl).toContain(join(folder, "cache"));
    },
  );
});

describe("what goes wrong", () => {
  it("without Go and without the network is one line that says what is missing", async () => {
    const missing = ensureTools(["etcd"], { onProgress });
    await expect(missing).rejects.toMatchObject({
      code: "TOOLS_UNAVAILABLE",
      message: expect.stringMatching(/^etcd is missing: [^\n]*no Go to build it\.$/),
    });
  });

  it("with Go but without the network is told as such", async () => {
    await installGo('echo "go: dial tcp: lookup example.test: no such host" >&2; exit 1');
    await expect(ensureTools(["etcd"], { onProgress })).rejects.toMatchObject({
      code: "TOOLS_UNAVAILABLE",
      message: "etcd is missing: its Go modules could not be fetched.",
    });
  });

  it("in the build itself is an error with the compiler's words, and leaves nothing in the cache", async () => {
    await installGo('echo "main.go:3: syntax error" >&2; exit 1');
    await expect(ensureTools(["leash"], { onProgress })).rejects.toMatchObject({
      code: "TOOLS_BUILD_FAILED",
      message: expect.stringContaining("main.go:3: syntax error"),
    });
    const [module = ""] = await readdir(join(folder, "cache", "tools"));
    expect(await readdir(join(folder, "cache", "tools", module))).toEqual([]);
  });
});

/** Called as: go build -trimpath -ldflags=… -o FILE PACKAGE */
function installGo(before = ":"): Promise<void> {
  const calls = join(folder, "calls");
  return install("bin", "go", `echo "$@" >> '${calls}'\n${before}\necho '#!/bin/sh' > "$5"\n/bin/chmod 755 "$5"`);
}

async function install(into: string, name: string, script: string): Promise<void> {
  await mkdir(join(folder, into), { recursive: true });
  const path = join(folder, into, name);
  await writeFile(path, `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`);
  await chmod(path, 0o755);
}

async function buildCount(): Promise<number> {
  return (await readFile(join(folder, "calls"), "utf8")).trim().split("\n").length;
}
