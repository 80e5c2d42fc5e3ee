import { isDnsLabel } from "@fairlead/kernel";
import { z } from "zod";
import { executeErrors } from "../errors.ts";
import { manifestsErrors } from "./errors.ts";
import { inventoryName } from "./inventory/inventory-name.ts";
import { readManifests } from "./read-manifests.ts";
import type { ManifestsSpec } from "./types.ts";

/** Everything that can be known without the cluster is settled here: a set that is wrong anywhere changes nothing. */
export function parseManifestsSpec(value: unknown): ManifestsSpec {
  const parsed = shape.safeParse(value);
  if (!parsed.success) throw executeErrors.COMMAND_SPEC_INVALID({ detail: describe(parsed.error) });
  const { set, namespace, prune, allowEmpty, force, createNamespace, wait } = parsed.data;
  if (Buffer.byteLength(parsed.data.manifests) > maxBytes)
    throw executeErrors.COMMAND_SPEC_INVALID({ detail: `manifests are over ${maxBytes} bytes; split them into sets` });
  const manifests = readManifests(parsed.data.manifests);
  if (manifests.length === 0 && !allowEmpty) throw executeErrors.COMMAND_SPEC_INVALID({ detail: empty });
  if (manifests.length > maxObjects) throw manifestsErrors.MANIFESTS_TOO_MANY({ limit: `${maxObjects} objects` });
  const own = manifests.find(
    ({ object: { kind, metadata } }) => kind === "ConfigMap" && metadata.name === inventoryName(set),
  );
  if (own) throw executeErrors.COMMAND_SPEC_INVALID({ detail: `${own.where}: the set's own record uses this name` });
  const waitTimeoutSeconds = wait === false ? undefined : wait.timeoutSeconds;
  return { set, namespace, manifests, prune, force, createNamespace, waitTimeoutSeconds };
}

function describe({ issues: [issue] }: z.ZodError): string {
  const path = issue?.path.join(".");
  return `${path ? `${path}: ` : ""}${issue?.message ?? "it isn't as specs are"}`;
}

const label = z.string().refine(isDnsLabel, "it is no DNS label (a-z, 0-9 and -, at most 63)");

const shape = z.strictObject({
  set: label,
  namespace: label.default("default"),
  manifests: z.string(),
  prune: z.boolean().default(false),
  allowEmpty: z.boolean().default(false),
  force: z.boolean().default(false),
  createNamespace: z.boolean().default(false),
  wait: z
    .union([z.literal(false), z.strictObject({ timeoutSeconds: z.int().min(1).max(3600) })])
    .default({ timeoutSeconds: 300 }),
});

const maxBytes = 3 * 1024 * 1024;
const maxObjects = 5_000;
const empty = "there is no object in manifests; allowEmpty says that this is meant";
