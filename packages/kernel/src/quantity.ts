import { isRawNumber } from "./exact-json.ts";

/** Reads a Kubernetes quantity as a number: `100m`, `1Gi`, `1e3`. Any other text counts as 0. */
export function parseQuantity(value: unknown): number {
  if (isRawNumber(value)) return Number(value.rawJSON);
  if (typeof value === "number") return Number.isFinite(value) ? value : 0;
  if (typeof value !== "string" || value.length > 64) return 0;
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d{1,3})|([numkMGTPE]|[KMGTPE]i)?)$/.exec(value);
  if (!match) return 0;
  const [, digits = "0", exponent = "", suffix = ""] = match;
  const number = Number(digits + exponent) * (scales[suffix] ?? 1);
  return Number.isFinite(number) ? number : 0;
}

const scales: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};
