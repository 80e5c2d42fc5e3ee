import fc from "fast-check";
import { expect, test } from "vitest";
import type { FoundRow } from "../objects/index.ts";
import { pageLimits, splitPages } from "./pages.ts";

test("pages have each row once in order, and no more than they may", () => {
  const sizes = fc.array(fc.integer({ min: 100, max: pageLimits.maxBytes * 2 }), { maxLength: 20 });
  const many = fc.array(fc.constant(100), { maxLength: pageLimits.limit * 3 });
  fc.assert(
    fc.property(fc.oneof(sizes, many), (asked) => {
      const rows = asked.map((sizeBytes, revision) => ({ revision, body_bytes: sizeBytes }) as FoundRow);
      const pages = [...splitPages(rows)];
      expect(pages.flat()).toEqual(rows);
      for (const page of pages) {
        const sizeBytes = page.reduce((sum, row) => sum + row.body_bytes, 0);
        expect(page.length).toBeLessThanOrEqual(pageLimits.limit);
        expect(page.length === 1 || sizeBytes <= pageLimits.maxBytes).toBe(true);
      }
    }),
  );
});
