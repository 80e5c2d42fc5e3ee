export { type ApplicationStormReport, runApplicationStorm } from "./run-application-storm.ts";
