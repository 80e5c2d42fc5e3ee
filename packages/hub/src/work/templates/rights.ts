// Rights on templates. `use` is a right for each cluster, and needs no right on commands. The others are for the whole
// hub.
import { setImmediate } from "node:timers/promises";
import { type KindAndSpec, type PutTemplateRequest, stepKindsOf } from "@fairlead/contract";
import type { Access, Principal } from "../../people/access/index.ts";
import type { Clusters } from "../../reach/clusters/index.ts";
import type { CommandRights } from "../commands/index.ts";

export interface TemplateRights {
  mayGet(principal: Principal, name: string): boolean;
  mayUse(principal: Principal, name: string, cluster?: string): boolean;
  mayUseSomewhere(principal: Principal, name: string): Promise<boolean>;
  /** Throws ACCESS_DENIED. */
  require(principal: Principal, verb: "create" | "update" | "delete", name: string): void;
  /** Throws ACCESS_DENIED. */
  requireUse(principal: Principal, name: string, cluster: string): void;
  /** Nobody lets others do what he may not do himself. Throws ACCESS_DENIED. */
  requireToOffer(principal: Principal, request: PutTemplateRequest): void;
  /** They may create such commands themselves wherever the template may be used. */
  mayVouch(principal: Principal, request: PutTemplateRequest): boolean;
}

export function createTemplateRights(ports: {
  readonly access: Pick<Access, "may" | "require">;
  readonly clusters: Pick<Clusters, "names">;
  readonly commandRights: CommandRights;
}): TemplateRights {
  const { access, clusters, commandRights } = ports;
  const mayUse: TemplateRights["mayUse"] = (principal, name, cluster) =>
    access.may(principal, { verb: "use", resource: resourceOf(name), cluster });
  return {
    mayUse,
    mayGet: (principal, name) => access.may(principal, { verb: "get", resource: resourceOf(name) }),

    async mayUseSomewhere(principal, name) {
      if (mayUse(principal, name)) return true;
      for (const [index, cluster] of clusters.names().entries()) {
        // Others have their turns in between.
        if (index % turnSize === turnSize - 1) await setImmediate();
        if (mayUse(principal, name, cluster.name)) return true;
      }
      return false;
    },

    require: (principal, verb, name) => access.require(principal, { verb, resource: resourceOf(name) }),
    requireUse: (principal, name, cluster) =>
      access.require(principal, { verb: "use", resource: resourceOf(name), cluster }),

    requireToOffer(principal, request) {
      const { approvals } = request;
      const asked = { dryRun: false, ...(approvals && { approvals: { fourEyes: approvals.fourEyes ?? true } }) };
      for (const place of placesOf(request)) commandRights.requireAsk(principal, place, asked);
    },

    mayVouch: (principal, request) => placesOf(request).every((place) => commandRights.may(principal, "create", place)),
  };
}

function placesOf({ kind, spec, clusters: choice }: PutTemplateRequest) {
  // A choice by labels may fit any cluster tomorrow, so it needs the right for all.
  const names = "names" in choice ? choice.names : [undefined];
  const kinds = [kind, ...stepsOf({ kind, spec } as unknown as KindAndSpec)];
  return kinds.flatMap((each) => names.map((cluster) => ({ cluster, kind: each })));
}

function stepsOf({ kind, spec }: KindAndSpec): readonly string[] {
  return kind === "flow" ? stepKindsOf(spec) : [];
}

function resourceOf(name: string): string {
  return `templates/${name}`;
}

const turnSize = 1_000;
