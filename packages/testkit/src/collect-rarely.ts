/** In a run of tests: on how many processors each of Kubernetes' programs and Helm may run at once. */
export const processorsVariable = "FAIRLEAD_TEST_PROCESSORS";

/**
 * Passes on how rarely Kubernetes' programs and Helm collect their garbage: a run of tests has memory to spare, and less
 * time. It has many programs at once, too, and one that keeps to one processor takes a tenth less of it.
 */
export function collectRarely(): Readonly<Record<string, string>> {
  const given = { GOGC: "GOGC", GOMEMLIMIT: "GOMEMLIMIT", GOMAXPROCS: processorsVariable };
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, from]) => {
      const value = process.env[from];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
