import { expect, test } from "vitest";
import { readObjectName } from "./read-object-name.ts";

const json = "application/json";
const protobuf = "application/vnd.kubernetes.protobuf";

test.each([
  ['{"metadata":{"name":"a"},"spec":{}}', "a"],
  ['{"metadata":{"name":"a","namespace":"n"}}', "a"],
  ['{"metadata":{"name":"a","annotations":{"x":"{\\"name\\":1}"}}}', "a"],
  ['{"metadata":{"generateName":"a"}}', undefined],
  ['{"metadata":{"name":"a","generateName":"b"}}', undefined],
  ['{"metadata":{"name":"a","name":"b"}}', undefined],
  ['{"metadata":{"name":"a"},"metadata":{"name":"b"}}', undefined],
  ['{"metadata":{"name":"a","\\u006eame":"b"}}', undefined],
  ['{"metadata":{"name":1}}', undefined],
  ['{"metadata":null,"name":"a"}', undefined],
  ["{", undefined],
  ["null", undefined],
])("the name in %s is %s", (text, name) => {
  expect(readObjectName(Buffer.from(text), json)).toBe(name);
});

test.each([
  ["a name", [field(1, [field(1, "a")])], "a"],
  ["a name beside others", [field(1, [field(1, "a"), field(2, ""), field(3, "n")]), field(2, "spec")], "a"],
  ["a name to be made up", [field(1, [field(1, "a"), field(2, "b")])], undefined],
  ["two names", [field(1, [field(1, "a"), field(1, "b")])], undefined],
  ["metadata twice", [field(1, [field(1, "a")]), field(1, [field(1, "b")])], undefined],
  ["none", [field(2, "spec")], undefined],
])("of %s in protobuf", (_, object, name) => {
  const envelope = Buffer.concat([Buffer.from("k8s\0"), field(1, "type"), field(2, object)]);
  expect(readObjectName(envelope, protobuf)).toBe(name);
  expect(readObjectName(envelope.subarray(4), protobuf)).toBeUndefined();
  expect(readObjectName(envelope.subarray(0, -1), protobuf)).toBeUndefined();
  const twice = Buffer.concat([envelope, field(2, [field(1, [field(1, "b")])])]);
  expect(readObjectName(twice, protobuf)).toBeUndefined();
  expect(readObjectName(envelope, json)).toBeUndefined();
  expect(readObjectName(envelope, "application/yaml")).toBeUndefined();
});

function field(number: number, content: string | readonly Buffer[]): Buffer {
  const bytes = typeof content === "string" ? Buffer.from(content) : Buffer.concat(content);
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}
