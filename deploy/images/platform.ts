export const arches = ["amd64", "arm64"] as const;
/** The names that OCI and Debian use. */
export type Arch = (typeof arches)[number];

/** The same as npm and Node write it. */
export const nodeArch: Readonly<Record<Arch, string>> = { amd64: "x64", arm64: "arm64" };
/** The same as Debian's folders for libraries write it. */
export const triplet: Readonly<Record<Arch, string>> = { amd64: "x86_64-linux-gnu", arm64: "aarch64-linux-gnu" };
