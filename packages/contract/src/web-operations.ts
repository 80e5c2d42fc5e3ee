// What the client for browsers knows of the operations. Their schemas would bring zod into the browser, so a generated file
// has the rest of each row.
import { toCallable } from "./calls.ts";
import { operations } from "./operations.ts";

/** The source text of gen/web-operations.ts. */
export function formatWebOperations(): string {
  const rows = operations.map((operation) => {
    const { method, path, takes = "nothing", answer } = toCallable(operation);
    const parts = [method, path, takes, answer ? "json" : "nothing"];
    return `  ${operation.id}: [${parts.map((part) => JSON.stringify(part)).join(", ")}],\n`;
  });
  return `${head}export const webOperations = {\n${rows.join("")}} as const;\n`;
}

const head = `// Written by scripts/write-openapi.ts from the tables of operations.
// Each operation by its id: method, path, what its call takes besides the parameters of the path, and what it is answered with.
`;
