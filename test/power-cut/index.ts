export { HubPicture } from "./hub-picture.ts";
export { Ledger } from "./ledger.ts";
export { type PowerCutReport, runPowerCuts } from "./run-power-cuts.ts";
