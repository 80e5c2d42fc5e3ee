const daysIn: Readonly<Record<string, number>> = {
  y: 365,
  w: 7,
  d: 1,
  h: 1 / 24,
  m: 1 / 1440,
  s: 1 / 86_400,
  ms: 1 / 86_400_000,
};

/** In days, as Prometheus writes durations: `30d`, `1w2d`, `720h`; 0 for something else. */
export function parsePrometheusDuration(text: string): number {
  if (!/^(\d+(ms|[ywdhms]))+$/.test(text)) return 0;
  return [...text.matchAll(/(\d+)(ms|[ywdhms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (daysIn[unit ?? ""] ?? 0),
    0,
  );
}
