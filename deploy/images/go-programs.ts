// The programs of Go that an image may carry, which tools/ builds.
import type { ToolName } from "@fairlead/testkit";

export const goPrograms = {
  "fairlead-runner": { title: "fairlead-runner", license: "Apache-2.0", tool: "runner", isOurs: true },
  helm: { title: "Helm", license: "Apache-2.0", tool: "helm", isOurs: false },
  tofu: { title: "OpenTofu", license: "MPL-2.0", tool: "tofu", isOurs: false },
} as const satisfies Readonly<Record<string, GoProgramRecipe>>;

export type GoProgramName = keyof typeof goPrograms;

interface GoProgramRecipe {
  readonly title: string;
  readonly license: string;
  readonly tool: ToolName;
  /** It has the version and the licence of this repository. */
  readonly isOurs: boolean;
}
