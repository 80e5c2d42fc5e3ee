// One program of Go. It is static, so that nothing belongs to it but its terms.
import { readFile } from "node:fs/promises";
import { goPrograms, licencesFolder } from "../go-programs.ts";
import type { GoProgram } from "../sources/go-programs.ts";
import { type TreeEntry, textFile } from "./tree.ts";

export async function goTree({ name, path, built }: GoProgram): Promise<TreeEntry[]> {
  const { title, license } = goPrograms[name];
  const { main, modules } = built;
  const terms = [
    `${title} ${main.version} (${main.path}) is under ${license}: /${licencesFolder}/${license}.`,
    "It was built of its unchanged sources and of these Go modules, each under the terms that its sources have:",
    ...modules.map((one) => `${one.path} ${one.version}`),
  ];
  return [
    { kind: "file", path: `usr/bin/${name}`, isExecutable: true, read: () => readFile(path) },
    textFile(`usr/share/doc/${name}/copyright`, `${terms.join("\n")}\n`),
  ];
}
