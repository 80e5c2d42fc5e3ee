import type { Calls } from "../calls.ts";
import type { ArgoObjectKind } from "../gitops/index.ts";
import type { OperationTables } from "../operations.ts";
import type { Send } from "../send.ts";
import { createCalls } from "./create-calls.ts";

/** Applications and objects of Argo CD are named by one argument. */
export interface GitopsCalls
  extends Calls<OperationTables["gitopsOperations"]>,
    ByName<Calls<OperationTables["applicationOperations"]>, ApplicationName>,
    ByName<Calls<OperationTables["argoObjectOperations"]>, ArgoObjectName> {}

export interface ApplicationName {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

export interface ArgoObjectName {
  readonly kind: ArgoObjectKind;
  readonly name: string;
}

export function createGitopsCalls(send: Send): GitopsCalls {
  return {
    ...createCalls(send, "gitopsOperations"),
    ...byName(createCalls(send, "applicationOperations"), ({ cluster, namespace, name }: ApplicationName) => {
      return [cluster, namespace, name];
    }),
    ...byName(createCalls(send, "argoObjectOperations"), ({ kind, name }: ArgoObjectName) => [kind, name]),
  };
}

type ByName<AllCalls, Name> = {
  readonly [Id in keyof AllCalls]: (
    of: Name,
    ...rest: AllCalls[Id] extends AnyCall ? RestOf<Parameters<AllCalls[Id]>, Name> : never
  ) => AllCalls[Id] extends AnyCall ? ReturnType<AllCalls[Id]> : never;
};

// biome-ignore lint/suspicious/noExplicitAny: any function is meant.
type AnyCall = (...args: any) => unknown;

type RestOf<Arguments, Name> = Name extends ApplicationName
  ? Arguments extends [string, string, string, ...infer Rest]
    ? Rest
    : never
  : Arguments extends [string, string, ...infer Rest]
    ? Rest
    : never;

function byName<AllCalls extends object, Name>(
  calls: AllCalls,
  partsOf: (name: Name) => readonly string[],
): ByName<AllCalls, Name> {
  const named = Object.entries<AnyCall>(calls as Readonly<Record<string, AnyCall>>).map(([id, call]) => [
    id,
    (of: Name, ...rest: readonly unknown[]) => call(...partsOf(of), ...rest),
  ]);
  return Object.fromEntries(named) as ByName<AllCalls, Name>;
}
