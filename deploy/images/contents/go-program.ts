// The files of a program of Go. It is static, so nothing belongs to it but its licences.
import { readFile } from "node:fs/promises";
import type { GoProgram } from "../sources/go-programs.ts";
import { type TreeEntry, textFile } from "./tree.ts";

export async function goTree({ name, path, licences }: GoProgram): Promise<TreeEntry[]> {
  return [
    { kind: "file", path: `usr/bin/${name}`, isExecutable: true, read: () => readFile(path) },
    textFile(`usr/share/doc/${name}/LICENSES`, licences),
  ];
}
