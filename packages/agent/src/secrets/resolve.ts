// Replaces references by what they name in the cluster, with the rights of the command. Each object is read once in a
// run: all its references then are of one version.
import { type FairleadError, isFairleadError, reasonOf } from "@fairlead/kernel";
import { type KubeClient, kubeErrors } from "@fairlead/kube";
import { type CredentialRule, policyErrors } from "../policy/index.ts";
import { type CredentialPlace, hostsAnnotation, requireHost } from "./credential-hosts.ts";
import { secretErrors } from "./errors.ts";
import { nameReference, type Reference, readReferences } from "./references.ts";

export interface SecretResolver {
  resolve(text: string): Promise<string>;
  /** For texts that are sent to one place as credentials. Throws SECRET_HOST_NOT_ALLOWED, SECRET_HOST_UNENCRYPTED. */
  forHost(place: CredentialPlace): (text: string) => Promise<string>;
}

export function createSecretResolver(options: {
  /** With the rights of the command. */
  readonly kube: Pick<KubeClient, "request">;
  /** Told each value of a Secret before it is given out. */
  readonly conceal: (value: string) => void;
  /** Told `NAMESPACE/NAME` of each Secret that is read. */
  readonly onRead?: ((secret: string) => void) | undefined;
  /** The hosts that the policy of the cluster names for Secrets. */
  readonly credentialRules?: (() => readonly CredentialRule[]) | undefined;
  readonly signal: AbortSignal;
}): SecretResolver {
  const { kube, conceal, onRead = () => undefined, credentialRules = () => [], signal } = options;
  const objects = new Map<string, Promise<DataObject>>();
  return {
    resolve: (text) =>
      replace(text, ({ kind, namespace, name }) => {
        if (kind === "secret") onRead(`${namespace}/${name}`);
      }),
    forHost: (place) => (text) =>
      replace(text, ({ kind, namespace, name }, object) => {
        const rules = credentialRules();
        const annotation = object.metadata?.annotations?.[hostsAnnotation];
        if (kind === "secret") requireHost({ secret: `${namespace}/${name}`, annotation, rules, place });
      }),
  };

  async function replace(text: string, check: Check): Promise<string> {
    if (!text.includes("${")) return text;
    const parts = readReferences(text).map((part) =>
      typeof part === "string" ? Promise.resolve(part) : lookUp(part, check),
    );
    return (await Promise.all(parts)).join("");
  }

  async function lookUp(reference: Reference, check: Check): Promise<string> {
    const object = await read(reference);
    check(reference, object);
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

type Check = (reference: Reference, object: DataObject) => void;

interface DataObject {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> | undefined } | undefined;
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
