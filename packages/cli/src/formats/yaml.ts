/** Loads the library now only: most answers are tables. */
export async function loadYaml(): Promise<(document: unknown) => string> {
  const { stringify } = await import("yaml");
  return (document) => stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}
