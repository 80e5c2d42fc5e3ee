// Reads a declaration: what must come before what, with references made into those that agents know. Pure.
import {
  type ApprovalWish,
  type CommandKindName,
  type DeclaredResources,
  placeOf,
  stackLimits,
} from "@fairlead/contract";
import { stackErrors } from "./errors.ts";
import { findCycle, sortByOrder } from "./graph.ts";
import { isDeclaring, isStackKind, outputsSecretOf, type StackKinds } from "./kinds.ts";
import { replaceReferences } from "./references.ts";

export interface ReadResource {
  readonly name: string;
  readonly cluster: string;
  readonly kind: CommandKindName;
  readonly namespace: string;
  readonly target: string;
  /** JSON. */
  readonly spec: string;
  /** The approvals that each of its commands needs; undefined: none. */
  readonly approvals?: ApprovalWish | undefined;
  /** Names of all that come before it. */
  readonly dependsOn: readonly string[];
  /** Names of those of them whose outputs it uses. */
  readonly uses: readonly string[];
}

/** In an order that keeps what comes before what. Throws why it can't be, with the place. */
export function readResources(resources: DeclaredResources, kinds: StackKinds): readonly ReadResource[] {
  let references = 0;
  const read = new Map(Object.keys(resources).map((name) => [name, readResource(name)]));
  const cycle = findCycle(new Map([...read].map(([name, { dependsOn }]) => [name, dependsOn])));
  if (cycle) throw stackErrors.STACK_CYCLE({ cycle: cycle.join(" → ") });
  requireOwnTargets([...read.values()]);
  const sizeBytes = [...read.values()].reduce((sum, { spec }) => sum + Buffer.byteLength(spec), 0);
  if (sizeBytes > stackLimits.bytes)
    throw stackErrors.STACK_TOO_LARGE({ what: `${sizeBytes} bytes of specs`, limit: stackLimits.bytes });
  const order = sortByOrder(new Map([...read].map(([name, { dependsOn }]) => [name, dependsOn])));
  return order.flatMap((name) => read.get(name) ?? []);

  function readResource(name: string): ReadResource {
    const { cluster, kind, spec, approvals, dependsOn = [] } = find(name, `resources.${name}`);
    const place = `resources.${name}`;
    if (!isStackKind(kinds, kind)) throw stackErrors.STACK_KIND_UNFIT({ place: `${place}.kind`, kind });
    if (!isDeclaring(kinds, kind, spec)) throw stackErrors.STACK_ACTION_UNFIT({ place: `${place}.spec.action` });
    for (const [index, other] of dependsOn.entries()) find(other, `${place}.dependsOn[${index}]`);
    const uses = new Set<string>();
    const replaced = replaceReferences(spec, `${place}.spec`, {
      replace(reference) {
        references++;
        if (references > stackLimits.references)
          throw stackErrors.STACK_TOO_LARGE({ what: "too many references", limit: stackLimits.references });
        uses.add(reference.name);
        return toSecretReference(cluster, reference);
      },
      onInvalid(at) {
        throw stackErrors.STACK_REFERENCE_INVALID({ place: at });
      },
      onTooDeep(at) {
        throw stackErrors.STACK_TOO_DEEP({ place: at });
      },
    });
    return {
      name,
      cluster,
      kind,
      ...placeOf(kind, spec),
      spec: JSON.stringify(replaced),
      approvals,
      dependsOn: [...new Set([...dependsOn, ...uses])],
      uses: [...uses],
    };
  }

  function toSecretReference(
    cluster: string,
    { name, key, place }: { readonly name: string; readonly key: string; readonly place: string },
  ): string {
    const giver = find(name, place);
    const secret = outputsSecretOf(kinds, giver.kind, giver.spec);
    if (!secret) throw stackErrors.STACK_OUTPUTS_MISSING({ place, name });
    if (giver.cluster !== cluster)
      throw stackErrors.STACK_OUTPUTS_ELSEWHERE({ place, name, cluster, other: giver.cluster });
    return `\${secret:${secret.namespace}/${secret.name}/${key}}`;
  }

  function find(name: string, place: string) {
    const found = Object.hasOwn(resources, name) ? resources[name] : undefined;
    if (!found) throw stackErrors.STACK_RESOURCE_UNKNOWN({ place, name });
    return found;
  }
}

/** Identifies the thing in a cluster. At most one resource of one stack has it. */
export function resourceKeyOf({ cluster, target }: { readonly cluster: string; readonly target: string }): string {
  return `${cluster} ${target}`;
}

function requireOwnTargets(read: readonly ReadResource[]): void {
  for (const [, [first, second]] of Map.groupBy(read, resourceKeyOf)) {
    if (!first || !second) continue;
    const { name, target, cluster } = first;
    throw stackErrors.STACK_TARGET_TWICE({ name, other: second.name, target, cluster });
  }
}
