import type { Scenario } from "../recorder.ts";
import { cuts } from "./cuts.ts";
import { exchanges } from "./exchanges.ts";
import { hostileAgents } from "./hostile-agents.ts";
import { hostileHubs } from "./hostile-hubs.ts";

export const scenarios: readonly Scenario[] = [...exchanges, ...cuts, ...hostileAgents, ...hostileHubs];
