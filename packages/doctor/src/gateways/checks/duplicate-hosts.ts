import { type ClusterCheck, fail, few, listNames, pass, shellWord } from "../../checks/index.ts";
import { type Evidence, formatRef } from "../../snapshot/index.ts";
import { type Claim, type Duplicate, findDuplicates } from "../duplicates.ts";
import { readAllGateways } from "../read-gateways.ts";

export const duplicateHosts: ClusterCheck = {
  id: "gateways.duplicate-hosts",
  title: "Each host and port belongs to one gateway",
  why: "Where two gateways claim the same host and port, the DNS record alone decides which one a request meets, and a service that was attached to the other one is never reached. Take the host from one of them, or record which one wins.",
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
      command: few(open).map(commandOf).join("\n"),
    });
  },
};

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

/** Nobody can tell what people want: the first by name is proposed. */
function commandOf({ host, port, claims }: Duplicate): string {
  return `fairlead gateways prefer ${shellWord(`${host}:${port}`)} ${shellWord(claims[0]?.gateway.id ?? "")}`;
}
