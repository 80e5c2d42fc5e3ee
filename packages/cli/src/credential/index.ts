export { printCredential, runCredential } from "./run-credential.ts";
