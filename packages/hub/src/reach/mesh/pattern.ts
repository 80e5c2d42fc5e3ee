// Reads cluster and role out of a mesh's identity, by the operator's regular expression.
import { readIdentityPattern } from "../../platform/config/index.ts";

export interface MeshPattern {
  /** Undefined when it doesn't match the whole, or no cluster is named. */
  read(identity: string): Reading | undefined;
}

interface Reading {
  readonly cluster: string;
  readonly role: string | undefined;
}

export function compilePattern(source: string): MeshPattern {
  const pattern = readIdentityPattern(source);
  return {
    read(identity) {
      const { cluster, role } = pattern.groups(identity) ?? {};
      return cluster === undefined ? undefined : { cluster, role };
    },
  };
}
