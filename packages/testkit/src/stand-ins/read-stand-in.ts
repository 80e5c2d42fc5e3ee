import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { repoRoot } from "../repo-root.ts";

/** The objects of `packages/doctor/stand-ins/PATH.yaml`, such as `argocd/upstream`. Items of a List come one by one. */
export function readStandIn<Kubernetes extends { readonly kind?: string | undefined }>(path: string): Kubernetes[] {
  const text = readFileSync(join(folder, `${path}${extension}`), "utf8");
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Kubernetes & { readonly items?: readonly Kubernetes[] })
    .filter((object) => object !== null)
    .flatMap((object) => (object.kind?.endsWith("List") ? [...(object.items ?? [])] : [object]));
}

/** The paths of all stand-ins. */
export function listStandIns(): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(extension))
    .map((name) => name.slice(0, -extension.length));
}

const folder = join(repoRoot, "packages", "doctor", "stand-ins");
const extension = ".yaml";
