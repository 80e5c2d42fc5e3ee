/**
 * Why a verdict says nothing of what is asked for now: it was made with another generation of the profile. Undefined: it
 * holds.
 */
export function whyOutdated({
  made,
  asked,
}: {
  /** `examinedWith.generation` of the verdict, whatever its agent wrote there. */
  readonly made: unknown;
  /** The cluster's own. 0: nobody has chosen anything. */
  readonly asked: number;
}): string | undefined {
  if (made === asked) return undefined;
  const known = Number.isSafeInteger(made) ? `generation ${made}` : "an unknown generation";
  return `examined with ${known} of the profile; ${asked} is asked for`;
}
