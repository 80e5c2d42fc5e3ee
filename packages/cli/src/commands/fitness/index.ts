import type { Command } from "../../command.ts";
import type { OpenContext } from "../../context.ts";
import { addFeatures } from "./features.ts";
import { addGateways } from "./gateways.ts";

export { doctorOfHub, type ShowOptions } from "./doctor-of-hub.ts";

export function addFitnessCommands(program: Command, open: OpenContext): void {
  addFeatures(program, open);
  addGateways(program, open);
}
