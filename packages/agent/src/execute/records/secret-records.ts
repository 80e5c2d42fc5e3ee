// Records as Secrets in the agent's own namespace: they outlive pods and nodes, and the resource version lets one
// writer win. A record that is too large for one Secret is put into pieces first; its own Secret, written last, names
// them.
import { createHash, randomBytes } from "node:crypto";
import { type KubeClient, kubeErrors } from "@fairlead/kube";
import { executeErrors } from "../errors.ts";
import { decodeRecord, encodeRecord } from "./encode.ts";
import { createSecretRequests, expectedErrors, placeOfSecrets } from "./request-secrets.ts";
import type { RecordStore, StoredRecord } from "./types.ts";

export const recordLabel = "fairlead.dev/command";
const recordType = "fairlead.dev/command-record";

export function createSecretRecords(options: {
  readonly client: KubeClient;
  readonly pieceBytes?: number;
}): RecordStore {
  const { client, pieceBytes = 700 * 1024 } = options;
  const { namespace } = client.access;
  const folder = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets`;
  const place = placeOfSecrets(client);
  const request = createSecretRequests(client);
  /** Ids of records that are, or were, in pieces. */
  const pieced = new Set<string>();
  return {
    place,
    namespace,
    async list(signal) {
      const found: StoredRecord[] = [];
      let next = "";
      do {
        const query = `labelSelector=${encodeURIComponent(recordLabel)}&limit=10&continue=${encodeURIComponent(next)}`;
        const page = await request<SecretList>({ path: `${folder}?${query}`, signal });
        for (const secret of page.items) {
          // A record that somebody has broken doesn't keep the others from being reported.
          const stored = isPiece(secret) ? undefined : await read(secret, signal).catch(ignoreInvalid);
          if (stored) found.push(stored);
        }
        next = page.metadata.continue ?? "";
      } while (next !== "");
      return found;
    },
    async find(id, signal) {
      const secret = await get(nameOf(id), signal);
      return secret && (await read(secret, signal));
    },
    async write(record, over, signal) {
      const bytes = await encodeRecord(record);
      const name = nameOf(record.id);
      const pieces = bytes.length <= pieceBytes ? [] : cut(bytes, pieceBytes);
      const generation = pieces.length === 0 ? "" : randomBytes(4).toString("hex");
      for (const [index, piece] of pieces.entries()) {
        const body = newSecret(`${name}-${generation}-${index}`, record.id, { piece });
        await request({ method: "POST", path: folder, body, signal });
      }
      const digest = createHash("sha256").update(bytes).digest("hex");
      const data = pieces.length === 0 ? { record: bytes } : { index: formatIndex(generation, pieces.length, digest) };
      const body = newSecret(name, record.id, data, over);
      try {
        const written = await request<Secret>(
          over === undefined
            ? { method: "POST", path: folder, body, signal }
            : { method: "PUT", path: `${folder}/${name}`, body, signal },
        );
        if (pieces.length > 0 || pieced.has(record.id)) {
          await removePieces(record.id, (each) => each !== generation, signal).catch(() => undefined);
          if (pieces.length > 0) pieced.add(record.id);
          else pieced.delete(record.id);
        }
        return written.metadata.resourceVersion;
      } catch (error) {
        if (!kubeErrors.is(error, ...expectedErrors)) throw error;
        if (pieces.length > 0)
          await removePieces(record.id, (each) => each === generation, signal).catch(() => undefined);
        return undefined;
      }
    },
    async remove(id, signal) {
      await discard(nameOf(id), signal);
      await removePieces(id, () => true, signal);
    },
  };

  async function read(secret: Secret, signal: AbortSignal): Promise<StoredRecord> {
    const { name, resourceVersion: version = "" } = secret.metadata;
    const where = `Secret ${namespace}/${name}`;
    const whole = secret.data?.["record"];
    if (whole !== undefined) return { record: await decodeRecord(Buffer.from(whole, "base64"), where), version };
    const index = parseIndex(secret.data?.["index"]);
    if (index === undefined) throw executeErrors.COMMAND_RECORD_INVALID({ place: where });
    const pieces: Buffer[] = [];
    for (let at = 0; at < index.count; at++) {
      const piece = await get(`${name}-${index.generation}-${at}`, signal);
      pieces.push(Buffer.from(piece?.data?.["piece"] ?? "", "base64"));
    }
    const bytes = Buffer.concat(pieces);
    if (createHash("sha256").update(bytes).digest("hex") !== index.digest)
      throw executeErrors.COMMAND_RECORD_INVALID({ place: where });
    const record = await decodeRecord(bytes, where);
    pieced.add(record.id);
    return { record, version };
  }

  /** Removes the pieces of each generation that is meant. */
  async function removePieces(
    id: string,
    isMeant: (generation: string) => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const query = `labelSelector=${encodeURIComponent(`${recordLabel}=${id},${pieceLabel}`)}`;
    const { items } = await request<SecretList>({ path: `${folder}?${query}`, signal });
    for (const { metadata } of items) {
      const [generation = ""] = metadata.name.slice(nameOf(id).length + 1).split("-");
      if (isMeant(generation)) await discard(metadata.name, signal);
    }
  }

  async function get(name: string, signal: AbortSignal): Promise<Secret | undefined> {
    try {
      return await request<Secret>({ path: `${folder}/${name}`, signal });
    } catch (error) {
      if (kubeErrors.is(error, "KUBE_NOT_FOUND")) return undefined;
      throw error;
    }
  }

  async function discard(name: string, signal: AbortSignal): Promise<void> {
    try {
      await request({ method: "DELETE", path: `${folder}/${name}`, signal });
    } catch (error) {
      if (!kubeErrors.is(error, "KUBE_NOT_FOUND")) throw error;
    }
  }
}

interface Secret {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
}

interface SecretList {
  readonly metadata: { readonly continue?: string };
  readonly items: readonly Secret[];
}

function newSecret(
  name: string,
  id: string,
  data: Readonly<Record<string, Buffer>>,
  resourceVersion?: string,
): unknown {
  const labels = {
    "app.kubernetes.io/managed-by": "fairlead-agent",
    [recordLabel]: id,
    ...(data["piece"] !== undefined && { [pieceLabel]: "" }),
  };
  return {
    apiVersion: "v1",
    kind: "Secret",
    type: recordType,
    metadata: { name, labels, ...(resourceVersion !== undefined && { resourceVersion }) },
    data: Object.fromEntries(Object.entries(data).map(([key, bytes]) => [key, bytes.toString("base64")])),
  };
}

/** Ids have an underscore, which names of Secrets may not. */
function nameOf(id: string): string {
  return `fairlead-${id.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`;
}

function cut(bytes: Buffer, size: number): Buffer[] {
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
}

function formatIndex(generation: string, count: number, digest: string): Buffer {
  return Buffer.from(JSON.stringify({ generation, count, digest }));
}

function parseIndex(encoded: string | undefined): { generation: string; count: number; digest: string } | undefined {
  try {
    const { generation, count, digest } = JSON.parse(Buffer.from(encoded ?? "", "base64").toString());
    const isOne = /^[0-9a-f]{8}$/.test(generation) && Number.isInteger(count) && count > 0 && count <= mostPieces;
    return isOne && typeof digest === "string" ? { generation, count, digest } : undefined;
  } catch {
    return undefined;
  }
}

function isPiece({ metadata }: Secret): boolean {
  return metadata.labels?.[pieceLabel] !== undefined;
}

function ignoreInvalid(error: unknown): undefined {
  if (!executeErrors.is(error, "COMMAND_RECORD_INVALID")) throw error;
  return undefined;
}

const pieceLabel = "fairlead.dev/command-piece";
const mostPieces = 64;
