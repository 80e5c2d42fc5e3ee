// Each listener knows what the other one serves, and tells whoever is at the wrong one where to go.
import type { Socket } from "node:net";
import type { FairleadError } from "@fairlead/kernel";
import { listenerWrong, routeUnknown } from "./errors.ts";
import { refuseUpgrade } from "./refuse-upgrade.ts";

/** Makes a listener's answer for an address that it doesn't serve. */
export type ExplainUnknown = (url: string | undefined) => FairleadError;

/** For the listener of people: whatever is under `/agent/` is for agents. */
export function explainToPeople(agentsUrl: () => string): ExplainUnknown {
  return (url) => (isForAgents(url) ? listenerWrong({ isFor: "people", otherUrl: agentsUrl() }) : routeUnknown(url));
}

/** For the listener of agents. */
export function explainToAgents(peopleUrl: () => string): ExplainUnknown {
  return (url) => (isForPeople(url) ? listenerWrong({ isFor: "agents", otherUrl: peopleUrl() }) : routeUnknown());
}

export function refuseUnknownUpgrade(socket: Socket, error: FairleadError): void {
  socket.on("error", () => socket.destroy());
  refuseUpgrade(socket, error, { statusText: error.code });
}

function isForAgents(url = ""): boolean {
  return url.startsWith("/agent/");
}

/** True for addresses that the CLI, kubectl and a browser ask for. */
function isForPeople(url = ""): boolean {
  return /^\/(|login|ca\.pem|(api|k8s)(\/[^?]*)?)(\?|$)/.test(url);
}
