/** As a person does who wants what the destructive fixes of `fairlead doctor --fix` open, which are printed as comments. */
export function uncommentFixes(fixes: string): string {
  return fixes.replace(/(?<=^# Not run unless .*\n)(?:# .*\n)+/gm, (lines) => lines.replace(/^# /gm, ""));
}
