export { type CommandStormReport, runCommandStorm } from "./run-command-storm.ts";
