export { runHubStorm, type StormOptions, type StormReport } from "./run-hub-storm.ts";
