/** `fairlead.dev/wave` as a number, 0 unless given; undefined for what is none. */
export function readWave(annotations: Readonly<Record<string, unknown>>): number | undefined {
  const text = annotations[waveAnnotation];
  if (text === undefined) return 0;
  return typeof text === "string" && /^-?\d{1,6}$/.test(text) ? Number(text) : undefined;
}

const waveAnnotation = "fairlead.dev/wave";
