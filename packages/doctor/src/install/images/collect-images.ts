import type { ClusterObject } from "../../snapshot/index.ts";

/**
 * All images that a rendering names, sorted: of containers, of custom resources with an `image` field, and those that
 * arguments and variables hand on to an operator.
 */
export function collectImages(objects: readonly ClusterObject[]): readonly string[] {
  const found = new Set<string>();
  for (const object of objects) visit(object, (image) => found.add(image));
  return [...found].sort();
}

function visit(value: unknown, tell: (image: string) => void, key = ""): void {
  if (typeof value === "string") {
    const image = key === "image" ? whole(value) : handedOn(value, key);
    if (image !== undefined) tell(image);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  const composed = composedImage(value);
  if (composed !== undefined) tell(composed);
  const members = Array.isArray(value) ? value.map((item) => [key, item] as const) : Object.entries(value);
  for (const [name, member] of members) if (!(composed !== undefined && name === "image")) visit(member, tell, name);
}

/** `auto` is a sidecar injector's word for an image that it fills in. */
function whole(text: string): string | undefined {
  return /^[a-z0-9][\w.:/@-]*$/i.test(text) && text !== "auto" && /[/:]/.test(text) ? text : undefined;
}

/** `--config-reloader=quay.io/x/y:v1`: only with a registry and a tag can a text be nothing else. */
function handedOn(text: string, key: string): string | undefined {
  if (!["args", "command", "value"].includes(key)) return undefined;
  return /^(?:--?[\w-]+=)?((?:[\w-]+\.)+[\w-]+(?::\d+)?(?:\/[\w.-]+)+(?::[\w.-]+|@sha256:[0-9a-f]{64}))$/.exec(
    text,
  )?.[1];
}

/** Operators put theirs together from three fields: `{repository: nvcr.io/nvidia, image: driver, version: "570"}`. */
function composedImage(value: object): string | undefined {
  const { repository, image, version, tag } = value as Readonly<Record<string, unknown>>;
  const of = version ?? tag;
  if (typeof repository !== "string" || typeof image !== "string" || typeof of !== "string") return undefined;
  if (repository === "" || image === "" || image.includes("/")) return undefined;
  return `${repository}/${image}${of.startsWith("sha256:") ? "@" : ":"}${of}`;
}
