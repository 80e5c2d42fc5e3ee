// The licences of all modules that are in a program of Go, and of Go's own libraries, each text once.
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GoBuildInfo, imageGoVersion } from "@fairlead/testkit";
import { cachePath, makeFileOnce, root } from "../cache.ts";
import { compare } from "../contents/tree.ts";
import { imageErrors } from "../errors.ts";
import { run } from "./run.ts";

export async function fetchGoLicences(
  name: string,
  { main, modules, goVersion }: GoBuildInfo,
  { isOurs }: { readonly isOurs: boolean },
): Promise<string> {
  const wanted = [...(isOurs ? [] : [main]), ...modules].map(({ path, version }) => `${path}@${version}`).sort(compare);
  const key = createHash("sha256")
    .update([goVersion, ...wanted].join("\n"))
    .digest("hex")
    .slice(0, 16);
  const file = await makeFileOnce(cachePath("go", `${name}-${key}-licences.txt`), async (draft) => {
    const ours = isOurs ? [{ title: main.path, folder: root }] : [];
    await writeFile(draft, await gather([...ours, ...(await findModules(name, wanted))]));
  });
  return await readFile(file, "utf8");
}

interface Place {
  readonly title: string;
  readonly folder: string;
}

async function findModules(name: string, wanted: readonly string[]): Promise<Place[]> {
  const env = { GOFLAGS: "", GOWORK: "off", GOTOOLCHAIN: imageGoVersion };
  // Outside of any module: only what is asked for is fetched.
  const options = { cwd: tmpdir(), env };
  const [output, goRoot] = await Promise.all([
    run("go", ["mod", "download", "-json", ...wanted], options),
    run("go", ["env", "GOROOT"], options),
  ]).catch((cause: unknown) => {
    throw imageErrors.IMAGE_PACKAGES_UNAVAILABLE({ wanted: `The sources of the Go modules of ${name}`, cause });
  });
  const found = JSON.parse(`[${output.trim().replaceAll(/^\}\n\{/gm, "},{")}]`) as { Path: string; Dir: string }[];
  return [
    { title: `Go ${imageGoVersion.replace("go", "")}`, folder: goRoot.trim() },
    ...found.map(({ Path, Dir }) => ({ title: Path, folder: Dir })),
  ];
}

async function gather(places: readonly Place[]): Promise<string> {
  const owners = new Map<string, string[]>();
  for (const { title, folder } of places) {
    const names = (await readdir(folder))
      .filter((one) => /^(?:licen[cs]e|copying|notice|patents)/i.test(one))
      .sort(compare);
    if (names.length === 0) throw imageErrors.IMAGE_PACKAGE_CORRUPT({ wanted: `${title}, which has no licence,` });
    for (const name of names) {
      const text = (await readFile(join(folder, name), "utf8")).trim();
      owners.set(text, [...(owners.get(text) ?? []), title]);
    }
  }
  return [...owners].map(([text, titles]) => `${titles.join("\n")}\n\n${text}\n`).join(`\n${"-".repeat(80)}\n\n`);
}
