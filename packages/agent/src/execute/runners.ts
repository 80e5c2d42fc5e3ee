// The kinds of commands that this agent can run.
import type { CommandKind } from "@fairlead/protocol";
import { createFlowRunner } from "./flow/index.ts";
import { helmRunner } from "./helm/index.ts";
import { manifestsRunner } from "./manifests/index.ts";
import { createTofuRunner, type ProviderSettings } from "./tofu/index.ts";
import type { CommandRunner } from "./types.ts";

export type CommandRunners = Readonly<Partial<Record<CommandKind, CommandRunner>>>;

export function createCommandRunners({ providers }: { readonly providers?: ProviderSettings } = {}): CommandRunners {
  const runners: CommandRunners = {
    manifests: manifestsRunner,
    helm: helmRunner,
    tofu: createTofuRunner(providers),
    flow: createFlowRunner((kind) => runners[kind as CommandKind]),
  };
  return runners;
}
