// The hub's ends of a cluster's flows, by its mode.
import type { GitopsSettings } from "@fairlead/contract";
import { type AutonomousOptions, createAutonomousEnds, releaseMirrors } from "./autonomous/index.ts";
import { createManagedEnds, type ManagedEndsOptions } from "./managed/index.ts";
import type { HubEnds } from "./types.ts";

export type OpenEndsOptions = ManagedEndsOptions & AutonomousOptions;

export function openEnds({ mode }: Pick<GitopsSettings, "mode">, options: OpenEndsOptions): HubEnds {
  return mode === "autonomous" ? createAutonomousEnds(options) : withoutMirrors(options);
}

/** Nothing is read of the hub's applications, and so nothing is sent, before mirrors are told from them. */
function withoutMirrors(options: OpenEndsOptions): HubEnds {
  const ends = createManagedEnds(options);
  return {
    ...ends,
    async run(signal) {
      await releaseMirrors(options, signal);
      await ends.run(signal);
    },
  };
}
