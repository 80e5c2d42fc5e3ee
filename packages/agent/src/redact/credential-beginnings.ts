// Four bytes of each way in which what looks like a credential begins (`redact` of the kernel knows the rest). They are
// found on the way, so that only the little output which has one of them is looked through for credentials.

export const credentialBeginnings: ReadonlySet<string> = new Set([
  ...inAnyCase("bear"),
  ...inAnyCase("basi"),
  ..."abcdefghijklmnopqrstuvwxyz".split("").flatMap((letter) => inAnyCase(`fl${letter}_`)),
  "BEGI",
  ..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-".split("").map((next) => `eyJ${next}`),
]);

function inAnyCase(text: string): string[] {
  return text
    .split("")
    .reduce<string[]>((begun, letter) => begun.flatMap((one) => [one + letter, one + letter.toUpperCase()]), [""]);
}
