// The commands of docs/guides/doctor.md, run as they stand there.
import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ClusterObject, resourceOf } from "@fairlead/doctor";

const guide = new URL("../../../../../docs/guides/doctor.md", import.meta.url);

/** The shell's lines of the block below a heading, without those that run the command itself. */
export async function readRecipe(heading: string): Promise<string> {
  const text = await readFile(guide, "utf8");
  const [, rest] = text.split(`## ${heading}\n`);
  const [, block] = /```console\n([\s\S]*?)```/.exec(rest ?? "") ?? [];
  if (block === undefined) throw new Error(`the guide has no commands below '${heading}'`);
  const lines = block.split("\n").map((line) => line.replace(/^[$>] /, ""));
  return lines.filter((line) => !line.startsWith("fairlead ")).join("\n");
}

/** Runs a recipe against a stand-in of kubectl, which answers as kubectl does from these objects. */
export async function runRecipe(options: {
  readonly recipe: string;
  readonly folder: string;
  readonly objects: readonly ClusterObject[];
  readonly resources: readonly string[];
}): Promise<string> {
  const { recipe, folder, objects, resources } = options;
  const bin = join(folder, "bin");
  const answers = join(folder, "answers");
  await mkdir(bin);
  await mkdir(answers);
  const byResource = Map.groupBy(objects, resourceOf);
  for (const resource of resources) {
    const list = { apiVersion: "v1", kind: "List", items: byResource.get(resource) ?? [], metadata: {} };
    await writeFile(join(answers, resource), JSON.stringify(list));
  }
  await writeFile(join(answers, "names"), `${[...resources, "secrets", "events"].join("\n")}\n`);
  const kubectl = `#!/bin/sh\n[ "$1" = api-resources ] && exec cat "${answers}/names"\nexec cat "${answers}/$2"\n`;
  await writeFile(join(bin, "kubectl"), kubectl);
  await chmod(join(bin, "kubectl"), 0o755);
  execFileSync("sh", ["-ec", recipe], { cwd: folder, env: { PATH: `${bin}:${process.env["PATH"]}` }, stdio: "pipe" });
  return join(folder, "dump");
}

/** As an API server stores them. */
export function storeObjects(objects: readonly ClusterObject[]): ClusterObject[] {
  return objects.map((object, index) => ({
    ...object,
    metadata: { ...object.metadata, uid: `uid-${index}`, creationTimestamp: "2026-01-01T00:00:00Z" },
  }));
}

/** Kubernetes makes these by itself. */
export const ofEveryCluster: readonly ClusterObject[] = ["default", "kube-system"].flatMap((name) => [
  { apiVersion: "v1", kind: "Namespace", metadata: { name } },
  { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "kube-root-ca.crt", namespace: name } },
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace: name } },
]);

/** The APIService of a group that the API server serves itself. */
export function localService(group: string, version: string): ClusterObject {
  const kind = "APIService";
  const metadata = { name: `${version}.${group}` };
  return { apiVersion: "apiregistration.k8s.io/v1", kind, metadata, spec: { group, version } };
}
