// Values that make a chart take its images from one registry. Charts name images in many ways, so that what comes out of
// the values must be rendered again to see which images have followed.
import { isMap } from "../three-way/index.ts";

/** `quay.io/argoproj/argocd:v3` from the registry `mirror.example.com/all` is `mirror.example.com/all/argoproj/argocd:v3`. */
export function mirroredImage(image: string, registry: string): string {
  return isMirrored(image, registry) ? image : `${withSlash(registry)}${split(image).path}`;
}

export function isMirrored(image: string, registry: string): boolean {
  return image.startsWith(withSlash(registry));
}

/**
 * Makes the values to merge over those of a chart. `defaults` are all values that it has, with those of its parts and
 * one's own. Lists are left alone, because changing an item means replacing the whole list.
 */
export function valuesOfMirror(options: {
  readonly defaults: unknown;
  readonly images: readonly string[];
  readonly registry: string;
}): Readonly<Record<string, unknown>> {
  const { defaults, images, registry } = options;
  const known = images.map(split);
  const walk = (values: unknown): Readonly<Record<string, unknown>> => {
    if (!isMap(values)) return {};
    const changes: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(values)) {
      const change =
        typeof value === "string" ? rewrite({ name, value, beside: values, known, registry }) : walk(value);
      if (typeof change === "string" || Object.keys(change ?? {}).length > 0) changes[name] = change;
    }
    return changes;
  };
  return walk(defaults);
}

interface ImageName {
  /** `docker.io` where an image names none. */
  readonly host: string;
  /** With tag and digest. */
  readonly path: string;
}

function split(image: string): ImageName {
  const [first = "", ...rest] = image.split("/");
  if (rest.length > 0 && (/[.:]/.test(first) || first === "localhost")) return { host: first, path: rest.join("/") };
  return { host: "docker.io", path: rest.length === 0 ? `library/${image}` : image };
}

function rewrite(options: {
  readonly name: string;
  readonly value: string;
  readonly beside: Readonly<Record<string, unknown>>;
  readonly known: readonly ImageName[];
  readonly registry: string;
}): string | undefined {
  const { name, value, beside, known, registry } = options;
  if (value === "" || !/(image|repository|repo|registry|hub)$/i.test(name)) return undefined;
  if (known.some(({ host }) => host === value)) return registry;
  // A host of its own stands beside it, and is changed there.
  const isPath = !/^[^/]*[.:][^/]*\//.test(value);
  const hasHost = Object.entries(beside).some(
    ([key, host]) => /(registry|hub)$/i.test(key) && typeof host === "string" && host !== "" && key !== name,
  );
  if (isPath && hasHost) return undefined;
  const { host, path } = split(value);
  const isTaken = known.some((image) => image.host === host && isBeginning(path, image.path));
  // `argoproj` of docker.io/argoproj/argocd: a folder, which is no image of docker.io's library.
  const isFolder = isPath && known.some((image) => image.host === host && image.path.startsWith(withSlash(value)));
  if (isFolder) return `${withSlash(registry)}${value}`;
  return isTaken ? `${withSlash(registry)}${path}` : undefined;
}

function isBeginning(path: string, image: string): boolean {
  return image === path || ["/", ":", "@"].some((next) => image.startsWith(`${path}${next}`));
}

function withSlash(text: string): string {
  return text.endsWith("/") ? text : `${text}/`;
}
