// The header x-forwarded-client-cert as Envoy writes it: elements with commas between, one for each proxy on the way and
// the nearest last; in each, pairs of key and value with semicolons between. A value with one of , ; = " in it is in
// double quotes, and \" stands for a quote. Whatever isn't written just so is no such header: a quote that somebody left
// open before the mesh added its part must not hide that part.

export interface XfccElement {
  /** Keys in lower case; a key may come more than once. */
  readonly pairs: readonly (readonly [key: string, value: string])[];
}

/** Undefined for what isn't one. */
export function parseXfcc(text: string): readonly XfccElement[] | undefined {
  const elements: XfccElement[] = [];
  let pairs: [string, string][] = [];
  pair.lastIndex = 0;
  for (;;) {
    const match = pair.exec(text);
    if (!match) return undefined;
    const [, key = "", quoted, plain = "", end = ""] = match;
    pairs.push([key.toLowerCase(), quoted === undefined ? plain : quoted.replaceAll('\\"', '"')]);
    if (end === ";") continue;
    elements.push({ pairs });
    pairs = [];
    if (end === "") return elements;
  }
}

/** Each character can be taken in one way only, so that no text takes long. */
const pair = /[ \t]*([A-Za-z]+)=(?:"((?:[^"\\]|\\"|\\(?!"))*)"|([^",;=\s]*))[ \t]*([,;]|$)/y;
