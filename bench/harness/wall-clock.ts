/** Milliseconds since the epoch with fractions: the same in all processes of a machine. */
export function wallMs(): number {
  return performance.timeOrigin + performance.now();
}
