// A digest of a table's lines that doesn't depend on their order: the sum of their SHA-256, modulo 2^256. Both sides of a
// copy read their rows as they lie on disk, without sorting them.
import { createHash } from "node:crypto";
import type { TableSummary } from "./records.ts";

export interface TableDigest {
  add(lines: readonly string[]): void;
  summarize(): TableSummary;
}

export function createTableDigest(): TableDigest {
  let rows = 0;
  let sum = 0n;
  return {
    add(lines) {
      rows += lines.length;
      for (const line of lines) sum += BigInt(`0x${createHash("sha256").update(line).digest("hex")}`);
      sum &= mask;
    },
    summarize: () => ({ rows, digest: sum.toString(16).padStart(64, "0") }),
  };
}

const mask = (1n << 256n) - 1n;
