// How long this machine leaves a process without a turn, so that its slowness isn't taken for a hub's.

const tickMs = 20;

export interface Noise extends Disposable {
  /** The longest wait since then, by `performance.now()`. */
  since(atMs: number): number;
}

export function measureNoise(): Noise {
  const late: { readonly atMs: number; readonly lateMs: number }[] = [];
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const lateMs = now - last - tickMs;
    if (lateMs > tickMs) late.push({ atMs: now, lateMs });
    last = now;
  }, tickMs);
  return {
    since: (atMs) => Math.max(0, ...late.filter((each) => each.atMs >= atMs).map(({ lateMs }) => lateMs)),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
