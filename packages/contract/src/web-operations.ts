// What clients know of the operations at first. Schemas would bring zod into the browser, and make each start of a command
// slow, so generated files have the rest of each row.
import { toCallable } from "./calls.ts";
import { operations, operationTables } from "./operations.ts";

/** The source text of gen/web-operations.ts. */
export function formatWebOperations(): string {
  const rows = operations.map((operation) => {
    const { method, path, takes = "nothing", answer } = toCallable(operation);
    const parts = [method, path, takes, answer ? "json" : "nothing"];
    return `  ${operation.id}: [${parts.map((part) => JSON.stringify(part)).join(", ")}],\n`;
  });
  return `${head}export const webOperations = {\n${rows.join("")}} as const;\n`;
}

/** The source text of gen/operation-tables.ts. */
export function formatOperationTables(): string {
  const rows = Object.entries(operationTables).map(([name, table]) => {
    return `  ${name}: [${Object.keys(table)
      .map((id) => JSON.stringify(id))
      .join(", ")}],\n`;
  });
  return `${tablesHead}export const operationTables = {\n${rows.join("")}} as const;\n`;
}

const tablesHead = `// Written by scripts/write-openapi.ts from the tables of operations.
// The ids of each table's operations.
`;

const head = `// Written by scripts/write-openapi.ts from the tables of operations.
// Each operation by its id: method, path, what its call takes besides the parameters of the path, and what it is answered with.
`;
