import { expect, test } from "vitest";
import { crc32c } from "./crc32c.ts";

test("checksums are those of CRC-32C, over parts as over the whole", () => {
  expect(crc32c(Buffer.from("123456789"))).toBe(0xe306_9283);
  expect(crc32c(Buffer.from("1234"), Buffer.from("56789"))).toBe(0xe306_9283);
});
