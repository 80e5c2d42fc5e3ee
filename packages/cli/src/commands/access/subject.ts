import type { BindingSubject, ExplainRequest } from "@fairlead/contract";

/** Someone as a person types him, and as `whoami` shows him: `alice@example.com`, `robot:ci`, `admin`. */
export function parseSubject(text: string): ExplainRequest["subject"] {
  if (text.startsWith(robotPrefix)) return { kind: "robot", name: text.slice(robotPrefix.length) };
  return text === "admin" ? { kind: "admin-token", name: text } : { kind: "user", name: text };
}

export function formatSubject({ kind, name }: BindingSubject): string {
  switch (kind) {
    case "robot":
      return `${robotPrefix}${name}`;
    case "group":
      return `group ${name}`;
    case "admin-token":
    case "user":
      return name;
    default:
      return kind satisfies never;
  }
}

const robotPrefix = "robot:";
