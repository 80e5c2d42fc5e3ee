/** For networks without the public registries: the first one whose address begins the repository's is taken. */
export type Mirrors = readonly { readonly from: string; readonly to: string }[];

export function mirrored(repository: string, mirrors: Mirrors): string {
  const mirror = mirrors.find(({ from }) => repository === from || repository.startsWith(withSlash(from)));
  if (!mirror) return repository;
  const rest = repository.slice(mirror.from.length).replace(/^\//, "");
  return rest === "" ? mirror.to : `${withSlash(mirror.to)}${rest}`;
}

function withSlash(address: string): string {
  return address.endsWith("/") ? address : `${address}/`;
}
