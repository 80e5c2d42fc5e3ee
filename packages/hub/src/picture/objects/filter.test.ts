import { expect, test } from "vitest";
import { readFilter } from "./filter.ts";

const repeat = (count: number, term: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => term(index)).join();

test.each([
  ["namespaces", { namespace: repeat(101, (index) => `n${index}`) }],
  ["labels", { labelSelector: repeat(65, (index) => `l${index}=x`) }],
  ["fields", { fieldSelector: repeat(17, (index) => `spec.f${index}=x`) }],
])("more %s than a question may have are refused", (_, filter) => {
  expect(() => readFilter(filter)).toThrow(expect.objectContaining({ code: "OBJECTS_QUERY_INVALID" }));
});

test("as many as it may have are taken", () => {
  const filter = readFilter({
    namespace: repeat(100, (index) => `n${index}`),
    labelSelector: repeat(64, (index) => `l${index}=x`),
    fieldSelector: repeat(16, (index) => `spec.f${index}=x`),
  });

  expect([filter.namespaces?.length, filter.labels.length, filter.fields.length]).toEqual([100, 64, 16]);
});

test("what is in no namespace is found in any where its kind is named", () => {
  expect(readFilter({ namespace: "shop", kind: "nodes" }).namespaces).toEqual(["shop", ""]);
  expect(readFilter({ namespace: "shop" }).namespaces).toEqual(["shop"]);
});
