/** Reads `30s`, `1h30m` or `7d` as milliseconds. Undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d{1,15}(?:ms|[dhms]))+$/.test(text)) return undefined;
  let totalMs = 0;
  for (const [, amount, unit = ""] of text.matchAll(/(\d+)(ms|[dhms])/g))
    totalMs += Number(amount) * (unitsMs[unit] ?? 0);
  return Number.isSafeInteger(totalMs) ? totalMs : undefined;
}

/** Writes milliseconds so that `parseDuration` reads the same number again: `1h30m`, `2s500ms`, `0s`. */
export function formatDuration(durationMs: number): string {
  let leftMs = Math.round(durationMs);
  let text = "";
  for (const [unit, unitMs] of Object.entries(unitsMs)) {
    const amount = Math.floor(leftMs / unitMs);
    if (amount > 0) text += `${amount}${unit}`;
    leftMs -= amount * unitMs;
  }
  return text || "0s";
}

/** From the longest to the shortest. */
const unitsMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
