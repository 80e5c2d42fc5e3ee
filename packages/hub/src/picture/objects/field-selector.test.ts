import { expect, test } from "vitest";
import { parseFieldSelector } from "./field-selector.ts";

test.each([
  ["metadata.name=a", [{ path: ["metadata", "name"], isEqual: true, value: "a" }]],
  ["metadata.name=a\\,b\\=c\\\\", [{ path: ["metadata", "name"], isEqual: true, value: "a,b=c\\" }]],
  [",metadata.name!=a,", [{ path: ["metadata", "name"], isEqual: false, value: "a" }]],
  ["", []],
])("%j is read as Kubernetes reads it", (source, terms) => {
  expect(parseFieldSelector(source)).toEqual(terms);
});

test.each(["\\", "metadata.name=a\\", "metadata.name=a,\\\n", "metadata.name=\\a", "metadata.name=a=b"])(
  "%j is refused as Kubernetes refuses it, and takes no more objects than were asked for",
  (source) => {
    expect(() => parseFieldSelector(source)).toThrow(expect.objectContaining({ code: "OBJECTS_SELECTOR_INVALID" }));
  },
);
