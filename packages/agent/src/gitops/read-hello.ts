// Reads the hub's hello as far as this agent understands it.
import { type GitopsMode, gitopsMappings, gitopsModes, type HubHello } from "@fairlead/protocol";
import { gitopsErrors } from "./errors.ts";
import type { HubSettings } from "./types.ts";

/** Throws GITOPS_MODE_REFUSED for a mode that the agent was told not to take, or doesn't know, and GITOPS_HUB_OUTDATED. */
export function readHello(hello: HubHello, accepted: readonly GitopsMode[]): HubSettings {
  const mode = gitopsModes.find((known) => known === hello.mode);
  if (mode === undefined || !accepted.includes(mode)) throw gitopsErrors.GITOPS_MODE_REFUSED({ mode: hello.mode });
  const { rules } = hello;
  const mapping = gitopsMappings.find((known) => known === hello.mapping) ?? "namespace";
  const remappedNamespaces = rules?.remappedNamespaces ?? [];
  // Such a hub takes what isn't in the cluster's namespace for deleted.
  if (mapping === "destination" && remappedNamespaces.length === 0) throw gitopsErrors.GITOPS_HUB_OUTDATED();
  return {
    mode,
    mapping,
    remappedNamespaces,
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
