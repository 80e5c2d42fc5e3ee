// Run from this package: `node --conditions=@fairlead/source scripts/write-openapi.ts`, then `npm run format`.
import { writeFileSync } from "node:fs";
import { createOpenApi } from "../src/openapi.ts";

writeFileSync(new URL("../openapi.json", import.meta.url), `${JSON.stringify(createOpenApi(), null, 2)}\n`);
