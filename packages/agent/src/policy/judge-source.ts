// Judges what commands fetch from outside. A missing list allows all. Pure.
import type { Verdict } from "./judge.ts";
import { matchesAny } from "./patterns.ts";
import type { Policy } from "./schema.ts";

export type CommandSource =
  /** A repository of charts, a path in a registry, or `inline`. Places below an allowed one are allowed, too. */
  | { readonly is: "chart"; readonly place: string }
  | { readonly is: "git-host"; readonly host: string }
  /** As OpenTofu says it after it has found it: `git::https://…`, `registry.opentofu.org/…`. */
  | { readonly is: "tofu-module"; readonly source: string };

export function judgeSource({ execute }: Policy, source: CommandSource): Verdict {
  switch (source.is) {
    case "chart": {
      const allow = execute?.charts?.repositories.allow;
      return judgeBy("execute.charts.repositories.allow", allow?.flatMap(withBelow), source.place);
    }
    case "git-host":
      return judgeBy("execute.git.hosts.allow", execute?.git?.hosts.allow, source.host);
    case "tofu-module":
      return judgeBy("execute.tofu.modules.allow", execute?.tofu?.modules.allow, source.source);
  }
}

function judgeBy(rule: string, allow: readonly string[] | undefined, name: string): Verdict {
  if (allow === undefined || matchesAny(allow, name)) return { allowed: true };
  return { allowed: false, rule, reason: `${name} isn't in it` };
}

function withBelow(pattern: string): readonly string[] {
  const plain = pattern.replace(/\/+$/, "");
  return [plain, `${plain}/*`];
}
