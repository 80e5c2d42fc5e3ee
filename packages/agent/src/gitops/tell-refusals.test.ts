import { expect, test } from "vitest";
import { createRefusalTeller } from "./tell-refusals.ts";

test("what the hub refuses is told once for each reason, and a few at a time", () => {
  const lines: unknown[] = [];
  let refused = refusalsOf(30, "taken");
  const tell = createRefusalTeller({
    sources: new Map([["applications", { status: () => ({ refused }) as never }]]),
    nameOf: (_flow, uid) => `argocd/${uid}`,
    log: { warn: (fields: object) => lines.push(fields) } as never,
  });
  tell();
  expect(lines).toHaveLength(20);
  expect(lines[0]).toMatchObject({ object: "argocd/0", reason: "taken", message: "The name is taken." });
  tell();
  tell();
  expect(lines).toHaveLength(30);
  refused = refusalsOf(1, "quota");
  tell();
  refused = refusalsOf(1, "taken");
  tell();
  expect(lines.slice(30)).toMatchObject([{ reason: "quota" }, { reason: "taken" }]);
});

function refusalsOf(count: number, reason: string): object[] {
  return Array.from({ length: count }, (_, index) => ({ uid: `${index}`, reason, message: "The name is taken." }));
}
