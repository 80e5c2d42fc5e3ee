// The kinds of values that only settings of the agent take.
import { isDnsLabel } from "@fairlead/kernel";
import { type Kind, kindOf, list, type Secret, text } from "@fairlead/kernel/settings";

export function hubUrl(): Kind<string> {
  return text({
    placeholder: "URL",
    expected: "an https:// or wss:// URL, for example https://hub.example.com:8444",
    isText: (value) => URL.canParse(value) && /^(https?|wss?):$/.test(new URL(value).protocol),
  });
}

/** Between the scheme and the last @ stands the password. */
export const proxySecret: Secret = {
  holdsSecret: (value) => value.includes("@"),
  hide: (value) => value.replace(/^([a-z]+:\/\/)?.*@/i, "$1[set, not shown]@"),
};

export function kindPatterns(): Kind<readonly string[]> {
  return list({
    expected: "a list of kinds, for example configmaps, deployments.apps, *.example.com or *",
    isWord: (word) => /^(\*|(\*\.)?[a-z0-9]([-a-z0-9.]*[a-z0-9])?)$/.test(word),
    mayBeEmpty: true,
  });
}

export function namespaces(): Kind<readonly string[]> {
  return list({ expected: "a list of namespaces", isWord: isDnsLabel, mayBeEmpty: true });
}

export function namespace(): Kind<string> {
  return text({ placeholder: "NAME", expected: "the name of a namespace", isText: isDnsLabel });
}

export function objectName(kind: "Secret" | "Lease"): Kind<string> {
  return text({
    placeholder: "NAME",
    expected: `the name of a ${kind}`,
    isText: (value) => value.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(value),
  });
}

export interface UidRange {
  readonly first: number;
  readonly last: number;
}

export function uidRange(): Kind<UidRange> {
  return kindOf({
    placeholder: "FIRST-LAST",
    expected: "at most 4096 user ids as FIRST-LAST, for example 64000-64063",
    read: (given) => {
      if (typeof given !== "string" || !/^[1-9]\d{0,8}-[1-9]\d{0,8}$/.test(given)) return undefined;
      const [first = 0, last = 0] = given.split("-").map(Number);
      return last >= first && last - first < 4096 ? { first, last } : undefined;
    },
    write: ({ first, last }) => `${first}-${last}`,
  });
}

/** It becomes a text of OpenTofu's configuration. */
export function providerMirror(): Kind<string> {
  return text({
    placeholder: "PLACE",
    expected: "the absolute path of a folder, or https://…/",
    isText: (value) => value.length <= 1_000 && /^(?:https:\/\/[^\s"\\$%]+\/|\/[^\s"\\$%]*)$/.test(value),
  });
}
