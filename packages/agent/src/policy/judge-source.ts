// Judges what commands fetch from outside. A missing list allows all. Pure.
import { matchesAddress } from "./address-pattern.ts";
import { matchesHost } from "./host-pattern.ts";
import type { Policy } from "./schema.ts";
import type { Verdict } from "./verdict.ts";

export type CommandSource =
  /** A repository of charts, a path in a registry, or `inline`. Slots below an allowed one are allowed, too. */
  | { readonly is: "chart"; readonly place: string }
  | { readonly is: "git-host"; readonly host: string; readonly port?: number | undefined }
  /** As OpenTofu says it after it has found it: `git::https://…`, `registry.opentofu.org/…`. */
  | { readonly is: "tofu-module"; readonly source: string }
  /** With its registry's host: `registry.opentofu.org/hashicorp/aws`. */
  | { readonly is: "tofu-provider"; readonly source: string };

export function judgeSource({ execute }: Policy, source: CommandSource): Verdict {
  switch (source.is) {
    case "chart": {
      const covers = (pattern: string): boolean => matchesAddress(pattern, source.place, { below: true });
      return judgeBy("charts.repositories.allow", execute?.charts?.repositories.allow, source.place, covers);
    }
    case "git-host": {
      const covers = (pattern: string): boolean => matchesHost(pattern, source);
      return judgeBy("git.hosts.allow", execute?.git?.hosts.allow, source.host, covers);
    }
    case "tofu-module": {
      const covers = (pattern: string): boolean => matchesAddress(pattern, source.source);
      return judgeBy("tofu.modules.allow", execute?.tofu?.modules?.allow, source.source, covers);
    }
    case "tofu-provider": {
      const covers = (pattern: string): boolean => matchesAddress(pattern, source.source);
      return judgeBy("tofu.providers.allow", execute?.tofu?.providers?.allow, source.source, covers);
    }
  }
}

/** Whether a list names the place. A policy without such a list names none, and neither does one that lets all in. */
export function listsChart({ execute }: Policy, place: string): boolean {
  const named = execute?.charts?.repositories.allow.filter((pattern) => pattern !== "*") ?? [];
  return named.some((pattern) => matchesAddress(pattern, place, { below: true }));
}

function judgeBy(
  rule: string,
  allow: readonly string[] | undefined,
  name: string,
  covers: (pattern: string) => boolean,
): Verdict {
  if (allow === undefined || allow.some(covers)) return { allowed: true };
  return { allowed: false, rule: `execute.${rule}`, reason: `${name} isn't in it` };
}
