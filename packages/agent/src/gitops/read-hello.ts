// Reads the hub's hello as far as this agent understands it.
import { type GitopsMode, gitopsMappings, gitopsModes, type HubHello } from "@fairlead/protocol";
import { gitopsErrors } from "./errors.ts";
import type { HubSettings } from "./types.ts";

/** Throws GITOPS_MODE_REFUSED for a mode that the agent was told not to take, or doesn't know. */
export function readHello(hello: HubHello, accepted: readonly GitopsMode[]): HubSettings {
  const mode = gitopsModes.find((known) => known === hello.mode);
  if (mode === undefined || !accepted.includes(mode)) throw gitopsErrors.GITOPS_MODE_REFUSED({ mode: hello.mode });
  const { rules } = hello;
  return {
    mode,
    mapping: gitopsMappings.find((known) => known === hello.mapping) ?? "namespace",
    remappedNamespaces: rules?.remappedNamespaces ?? [],
    hubNamespace: rules?.hubNamespace ?? "",
    hubUid: hello.hubUid,
    flows: hello.flows,
    maxUnackedEntries: hello.maxUnackedEntries || 64,
    maxUnackedBytes: hello.maxUnackedBytes || 4 * 1024 * 1024,
    rules: {
      onUidMismatch: rules?.onUidMismatch === "upsert" ? "upsert" : "recreate",
      adoption: rules?.adoption === "never" ? "never" : "always",
      onRecreate: onRecreates.find((known) => known === rules?.onRecreate) ?? "ignore",
      createsNamespaces: rules?.createNamespaces ?? false,
    },
  };
}

const onRecreates = ["ignore", "clear-status", "resync"] as const;
