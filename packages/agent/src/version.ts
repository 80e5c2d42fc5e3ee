import { readFileSync } from "node:fs";

/** From the package's own manifest, which lies one folder up from sources and from compiled files alike. */
export const agentVersion: string = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
).version;
