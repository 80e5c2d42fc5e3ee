/** The parts of an image reference: `host/some/path:tag@sha256:…`. */
export interface ImageParts {
  readonly repository: string;
  readonly tag?: string;
}

export function parseImage(image: string): ImageParts {
  const [named = ""] = image.split("@");
  const colon = named.lastIndexOf(":");
  // A colon before a slash belongs to a host's port.
  if (colon < 0 || named.includes("/", colon)) return { repository: named };
  return { repository: named.slice(0, colon), tag: named.slice(colon + 1) };
}

/** Mirrors change host and prefix, so that only the last parts of the path are compared: `argoproj/argocd`, or `/pilot`. */
export function isImage(image: string, suffix: string): boolean {
  const { repository } = parseImage(image);
  const wanted = suffix.replace(/^\//, "");
  return repository === wanted || repository.endsWith(`/${wanted}`);
}
