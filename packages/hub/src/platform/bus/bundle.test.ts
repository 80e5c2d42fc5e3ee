import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBundle } from "./bundle.ts";
import { writeBusMessage } from "./message.ts";

describe("a bundle of hints", () => {
  it("says each topic and each detail once, and is empty after", () => {
    const bundle = createBundle({ maxBytes: 1_000 });
    for (const detail of ["a", "b", "a"]) bundle.add("links", detail);
    bundle.add("access", undefined);
    bundle.add("access", "x");
    expect(bundle.take()).toEqual({ kind: "topics", topics: { links: ["a", "b"], access: null } });
    expect(bundle.take()).toBeUndefined();
  });

  it("says less of the topic with the longest list when it grows too large", () => {
    const bundle = createBundle({ maxBytes: 200 });
    bundle.add("links", "east");
    for (let index = 0; index < 100; index += 1) bundle.add("inventory", `cluster-${index}`);
    expect(bundle.take()).toEqual({ kind: "topics", topics: { links: ["east"], inventory: null } });
  });

  it("says everything when even the topics are too many", () => {
    const bundle = createBundle({ maxBytes: 200 });
    for (let index = 0; index < 100; index += 1) bundle.add(`topic-${index}`, "x");
    expect(bundle.take()).toEqual({ kind: "everything" });
    bundle.add("access", undefined);
    expect(bundle.take()).toEqual({ kind: "topics", topics: { access: null } });
  });

  it("never leaves anything unsaid, and never grows beyond its bound", () => {
    const hints = fc.array(fc.tuple(fc.string({ maxLength: 12 }), fc.option(fc.string({ unit: "grapheme" }))));
    fc.assert(
      fc.property(hints, (given) => {
        const bundle = createBundle({ maxBytes: 150 });
        for (const [topic, detail] of given) bundle.add(topic, detail ?? undefined);
        const content = bundle.take();
        if (content === undefined) return given.length === 0;
        expect(Buffer.byteLength(writeBusMessage("", content))).toBeLessThanOrEqual(150 + 40);
        if (content.kind === "everything") return true;
        return given.every(([topic, detail]) => {
          const said = new Map(Object.entries(content.topics)).get(topic);
          return said === null || (said !== undefined && detail !== null && said.includes(detail));
        });
      }),
    );
  });
});
