import { parseQuantity } from "./quantity.ts";

/** Reads `64Mi`, `1.5Gi`, `10M` or plain bytes, as Kubernetes writes them. Undefined for any other text. */
export function parseSize(text: string): number | undefined {
  if (!/^\d{1,15}(?:\.\d{1,3})?(?:[KMGT]i|[kMGT])?$/.test(text)) return undefined;
  const sizeBytes = parseQuantity(text);
  return Number.isSafeInteger(sizeBytes) ? sizeBytes : undefined;
}

/** Writes bytes so that `parseSize` reads the same number again: `64Mi`, `10M`, `1023`. */
export function formatSize(sizeBytes: number): string {
  const unit = sizeBytes === 0 ? undefined : units.find(([, unitBytes]) => sizeBytes % unitBytes === 0);
  return unit ? `${sizeBytes / unit[1]}${unit[0]}` : String(sizeBytes);
}

/** The binary units come first: few sizes are whole in both. */
const units: readonly (readonly [string, number])[] = ["Ti", "Gi", "Mi", "Ki", "T", "G", "M", "k"].map(
  (unit) => [unit, parseQuantity(`1${unit}`)] as const,
);
