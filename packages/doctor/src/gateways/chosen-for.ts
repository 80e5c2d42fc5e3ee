// People record on a gateway itself that it wins a host and port which others claim, too. So the choice is kept
// together with the gateway, also in git. The agent sees it, and so does a person who looks without a hub.
import { Fields } from "@fairlead/kernel";
import type { GatewayPreference } from "../profiles/index.ts";
import type { ClusterObject } from "../snapshot/index.ts";
import type { Gateway } from "./gateway.ts";

export const servesAnnotation = "fairlead.dev/serves";

/** `HOST:PORT`, with commas between. */
export function readChosenFor(object: ClusterObject): string[] {
  const text = new Fields(object).at("metadata", "annotations", servesAnnotation).text() ?? "";
  return text
    .split(",")
    .map((each) => each.trim().toLowerCase())
    .filter((each) => each !== "");
}

/** Where two gateways are chosen for the same, nobody has chosen. */
export function recordedPreferences(gateways: readonly Gateway[]): GatewayPreference[] {
  const chosen = gateways.flatMap(({ id, chosenFor }) => chosenFor.map((key) => ({ key, gateway: id })));
  return chosen
    .filter(({ key, gateway }) => chosen.every((other) => other.key !== key || other.gateway === gateway))
    .flatMap(({ key, gateway }) => {
      const colon = key.lastIndexOf(":");
      const port = Number(key.slice(colon + 1));
      return colon > 0 && Number.isInteger(port) ? [{ host: key.slice(0, colon), port, gateway }] : [];
    });
}
