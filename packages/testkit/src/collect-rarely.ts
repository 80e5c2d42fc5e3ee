/**
 * Passes on how rarely Kubernetes' programs and Helm collect their garbage: a run of tests has memory to spare, and less
 * time.
 */
export function collectRarely(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ["GOGC", "GOMEMLIMIT"].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
