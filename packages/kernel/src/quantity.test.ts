import { expect, it } from "vitest";
import { parseQuantity } from "./quantity.ts";

it.each([
  ["1", 1],
  ["100m", 0.1],
  [".5", 0.5],
  ["1e3", 1000],
  ["1E3", 1000],
  ["1E", 1e18],
  ["128Mi", 128 * 2 ** 20],
  ["129M", 129e6],
  ["2Gi", 2 ** 31],
  [3, 3],
  ["", 0],
  ["Gi", 0],
  ["1 Gi", 0],
  ["NaN", 0],
  [null, 0],
  ["9".repeat(400), 0],
])("the quantity %j is %d", (text, number) => {
  expect(parseQuantity(text)).toBeCloseTo(number, 9);
});
