// Run from this package: `node --conditions=@fairlead/source scripts/write-openapi.ts`.
import { mkdirSync, writeFileSync } from "node:fs";
import { createOpenApi } from "../src/openapi.ts";
import { formatOperationTables, formatWebOperations } from "../src/web-operations.ts";

writeFileSync(new URL("../openapi.json", import.meta.url), `${JSON.stringify(createOpenApi(), null, 2)}\n`);
mkdirSync(new URL("../src/gen/", import.meta.url), { recursive: true });
writeFileSync(new URL("../src/gen/web-operations.ts", import.meta.url), formatWebOperations());
writeFileSync(new URL("../src/gen/operation-tables.ts", import.meta.url), formatOperationTables());
