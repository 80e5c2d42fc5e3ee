import { stringify } from "yaml";
import type { Fix, Risk } from "../../checks/index.ts";
import { withMember } from "../with-member.ts";
import type { Configuration } from "./configuration.ts";

/** A patch of the ConfigMap in the layout that it has; the controller watches the map, so that it needs no restart. */
export function changeField(configuration: Configuration, path: readonly string[], value: unknown, risk: Risk): Fix {
  const { map, fields, layout } = configuration;
  const whole = withMember(fields.raw, path, value) as Readonly<Record<string, unknown>>;
  const [field = ""] = path;
  return { is: "patch", risk, object: map, type: "merge", patch: { data: dataOf() } };

  function dataOf(): Readonly<Record<string, string | null>> {
    if (layout === "document") return { config: stringify(whole) };
    const member = whole[field];
    return { [field]: member === undefined ? null : typeof member === "object" ? stringify(member) : String(member) };
  }
}
