/** The one place that reads the environment. */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
