import type { KubeObject } from "@fairlead/kube";
import { cutText } from "../cut-text.ts";
import type { SecretValues } from "../types.ts";
import type { Change } from "./types.ts";

/** Lists how an object would change. Values of Secrets are masked, long ones cut. */
export function listChanges(
  before: KubeObject,
  after: KubeObject,
  secrets: Pick<SecretValues, "redact">,
): readonly Change[] {
  const isSecret = before.apiVersion === "v1" && before.kind === "Secret";
  const all = [...walk(comparable(before), comparable(after), "")];
  const changes = all.slice(0, maxChanges).map(({ path, from, to }) => ({
    path,
    ...(from !== undefined && { from: show(path, from) }),
    ...(to !== undefined && { to: show(path, to) }),
  }));
  return all.length > maxChanges ? [...changes, { path: "", to: `and ${all.length - maxChanges} more` }] : changes;

  function show(path: string, value: unknown): unknown {
    if (isSecret && isValue(path)) return masked;
    const text = JSON.stringify(value);
    return text.length > maxValue ? cutText(secrets, text, maxValue) : value;
  }
}

function comparable({ status: _status, metadata, ...rest }: KubeObject): object {
  const { managedFields, resourceVersion, generation, uid, creationTimestamp, ...lasting } = metadata;
  return { ...rest, metadata: lasting };
}

function* walk(from: unknown, to: unknown, path: string): Generator<Change> {
  if (from === to) return;
  if (Array.isArray(from) && Array.isArray(to)) {
    for (let index = 0; index < Math.max(from.length, to.length); index++)
      yield* walk(from[index], to[index], `${path}[${index}]`);
  } else if (isObject(from) && isObject(to)) {
    for (const name of new Set([...Object.keys(from), ...Object.keys(to)]))
      yield* walk(from[name], to[name], path === "" ? name : join(path, name));
  } else {
    yield { path, from, to };
  }
}

function join(path: string, name: string): string {
  return /^[A-Za-z_][\w-]*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `kubectl apply` repeats the whole Secret in an annotation. */
function isValue(path: string): boolean {
  return /^(?:data|stringData)\b/.test(path) || /^metadata\.(?:annotations|managedFields)/.test(path);
}

const masked = "(masked)";
const maxChanges = 50;
const maxValue = 300;
