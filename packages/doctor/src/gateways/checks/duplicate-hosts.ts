import {
  type ClusterCheck,
  destructive,
  fail,
  few,
  kubectl,
  listNames,
  pass,
  script,
  type Words,
} from "../../checks/index.ts";
import { type Evidence, formatRef, type ObjectRef } from "../../snapshot/index.ts";
import { servesAnnotation } from "../chosen-for.ts";
import { type Claim, type Duplicate, findDuplicates } from "../duplicates.ts";
import type { Gateway } from "../gateway.ts";
import { readAllGateways } from "../read-gateways.ts";

export const duplicateHosts: ClusterCheck = {
  id: "gateways.duplicate-hosts",
  title: "Each host and port belongs to one gateway",
  why: "Where two gateways claim the same host and port, the DNS record alone decides which one a request meets, and a service that was attached to the other one is never reached. Take the host from one of them, or record which one wins: by `fairlead gateway prefer`, or by the annotation `fairlead.dev/serves` on that gateway, with `HOST:PORT` in it and commas between several.",
  severity: "required",
  features: ["ingress"],
  judge: ({ snapshot, gatewayPreferences }) => {
    const duplicates = findDuplicates(readAllGateways(snapshot), gatewayPreferences);
    const open = duplicates.filter(({ preferred }) => preferred === undefined);
    if (open.length === 0) {
      const settled = duplicates.map(({ host, port, preferred }) => `${host}:${port} by ${preferred}`);
      return pass(
        settled.length === 0 ? "No host is claimed twice." : `People chose who serves ${listNames(settled)}.`,
        few(duplicates).flatMap(evidenceOf),
      );
    }
    const named = listNames(open.map(({ host, port }) => `${host}:${port}`));
    return fail(`Several gateways claim ${named}.`, few(open).flatMap(evidenceOf), {
      is: "command",
      risk: decides,
      command: script(commandsFor(few(open))),
    });
  },
};

const decides = destructive(
  "It chooses for you which gateway counts: services that were attached to another one may not be reached.",
);

function evidenceOf({ host, port, claims, preferred }: Duplicate): Evidence[] {
  return few(claims).map(({ gateway, listener }) => ({
    object: gateway.object,
    path: listener.field,
    observed: `${host}:${port}`,
    expected:
      preferred === undefined ? `no other claim than ${othersOf(gateway.id, claims)}` : `${preferred} serves it`,
  }));
}

function othersOf(id: string, claims: readonly Claim[]): string {
  const others = claims.filter(({ gateway }) => gateway.id !== id).map(({ gateway }) => formatRef(gateway.object));
  return `this one, or that of ${listNames(others)}`;
}

/** Nobody can tell what people want: the first by name is proposed for all that it shares with others. */
function commandsFor(duplicates: readonly Duplicate[]): readonly Words[] {
  const chosen = new Map<Gateway, string[]>();
  for (const { host, port, claims } of duplicates) {
    const [first] = claims;
    if (first)
      chosen.set(first.gateway, [...(chosen.get(first.gateway) ?? first.gateway.chosenFor), `${host}:${port}`]);
  }
  return [...chosen].map(([{ object }, keys]) => annotate(object, keys));
}

function annotate({ resource, namespace, name }: ObjectRef, keys: readonly string[]): Words {
  return kubectl({
    verb: ["annotate"],
    namespace,
    options: ["--overwrite"],
    args: [`${resource}/${name}`, `${servesAnnotation}=${keys.join(",")}`],
  });
}
