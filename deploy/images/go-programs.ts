// The programs of Go that an image may carry: what tools/ builds them of, and under which licence they are.
export const goPrograms = {
  helm: { title: "Helm", license: "Apache-2.0" },
  tofu: { title: "OpenTofu", license: "MPL-2.0" },
} as const;

export type GoProgramName = keyof typeof goPrograms;

/** Debian's base-files has the texts of both licences. */
export const licencesFolder = "usr/share/common-licenses";
