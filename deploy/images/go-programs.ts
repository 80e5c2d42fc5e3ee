// The programs of Go that an image may carry, which tools/ builds.
export const goPrograms = {
  helm: { title: "Helm", license: "Apache-2.0" },
  tofu: { title: "OpenTofu", license: "MPL-2.0" },
} as const;

export type GoProgramName = keyof typeof goPrograms;
