// Replaces references by what they name in the cluster, with the rights of the command. Each object is read once in a
// run: all its references then are of one version.
import { type FairleadError, isFairleadError, reasonOf } from "@fairlead/kernel";
import { type KubeClient, kubeErrors } from "@fairlead/kube";
import { policyErrors } from "../policy/index.ts";
import { secretErrors } from "./errors.ts";
import { nameReference, type Reference, readReferences } from "./references.ts";

export interface SecretResolver {
  resolve(text: string): Promise<string>;
}

export function createSecretResolver(options: {
  /** With the rights of the command. */
  readonly kube: Pick<KubeClient, "request">;
  /** Told each value of a Secret before it is given out. */
  readonly conceal: (value: string) => void;
  readonly signal: AbortSignal;
}): SecretResolver {
  const { kube, conceal, signal } = options;
  const objects = new Map<string, Promise<DataObject>>();
  return {
    async resolve(text) {
      if (!text.includes("${")) return text;
      const parts = readReferences(text).map((part) =>
        typeof part === "string" ? Promise.resolve(part) : lookUp(part),
      );
      return (await Promise.all(parts)).join("");
    },
  };

  async function lookUp(reference: Reference): Promise<string> {
    const object = await read(reference);
    const bytes = bytesOf(object, reference.key);
    if (bytes === undefined) throw secretErrors.SECRET_REFERENCE_MISSING({ reference: nameReference(reference) });
    const text = readUtf8(bytes);
    if (text === undefined) throw secretErrors.SECRET_REFERENCE_NOT_TEXT({ reference: nameReference(reference) });
    if (reference.kind === "secret") conceal(text);
    return text;
  }

  async function read(reference: Reference): Promise<DataObject> {
    const { kind, namespace, name } = reference;
    const path = `/api/v1/namespaces/${namespace}/${kind === "secret" ? "secrets" : "configmaps"}/${name}`;
    let object = objects.get(path);
    if (object === undefined) {
      object = kube.request<DataObject>({ path, signal });
      objects.set(path, object);
    }
    return await object.catch((error: unknown) => {
      objects.delete(path);
      throw explain(reference, error);
    });
  }

  function explain(of: Reference, error: unknown): unknown {
    if (signal.aborted || !isFairleadError(error)) return signal.aborted ? signal.reason : error;
    const reference = nameReference(of);
    if (kubeErrors.is(error, "KUBE_NOT_FOUND"))
      return secretErrors.SECRET_REFERENCE_MISSING({ reference, cause: error });
    if (kubeErrors.is(error, "KUBE_FORBIDDEN") || policyErrors.is(error, "POLICY_DENIED"))
      return secretErrors.SECRET_REFERENCE_FORBIDDEN({ reference, reason: briefly(error), cause: error });
    return secretErrors.SECRET_REFERENCE_UNREADABLE({ reference, reason: reasonOf(error), cause: error });
  }
}

function briefly(error: FairleadError): string {
  return error.message.replace(/\.$/, "");
}

interface DataObject {
  readonly data?: Readonly<Record<string, string>> | undefined;
  readonly binaryData?: Readonly<Record<string, string>> | undefined;
  readonly kind?: string;
}

function bytesOf(object: DataObject, key: string): Buffer | undefined {
  const { data = {}, binaryData = {} } = object;
  if (Object.hasOwn(binaryData, key)) return Buffer.from(binaryData[key] ?? "", "base64");
  if (!Object.hasOwn(data, key)) return undefined;
  return Buffer.from(data[key] ?? "", object.kind === "Secret" ? "base64" : "utf8");
}

function readUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
