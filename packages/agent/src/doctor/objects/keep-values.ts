// Values of ConfigMaps and of environment variables stay in the cluster: a verdict says that one is wrong, and not what it
// is. The same rule as for what is observed, where those values are left out or masked.
import type { Evidence, Verdict } from "@fairlead/doctor";

export function keepValues(verdict: Verdict, options: { readonly envValues: "keep" | "mask" }): Verdict {
  const hidden = verdict.evidence.filter((each) => isKept(each, options)).map(({ observed }) => observed);
  if (hidden.length === 0) return verdict;
  const evidence = verdict.evidence.map((each) => (isKept(each, options) ? { ...each, observed: notShown } : each));
  const values = hidden.filter((value) => value.length >= shortestValue);
  const message = values.reduce((text, value) => text.replaceAll(value, notShown), verdict.message);
  if (verdict.is === "pass") return { ...verdict, message, evidence };
  const { fix, ...rest } = verdict;
  const isTelling =
    fix !== undefined && values.some((value) => JSON.stringify(fix).includes(JSON.stringify(value).slice(1, -1)));
  return { ...rest, message, evidence, ...(fix && !isTelling && { fix }) };
}

function isKept({ object, path }: Evidence, { envValues }: { readonly envValues: "keep" | "mask" }): boolean {
  if (object.resource === "configmaps" || object.resource === "secrets") return true;
  return envValues === "mask" && /(^|\.)env(\[|\.|$)/.test(path);
}

const notShown = "[stays in the cluster]";
/** Words such as `true` are in every sentence, and tell nothing. */
const shortestValue = 6;
