// Bytes too many for one Secret, in several beside the state. The first piece is written last: where it is, all are.
import { type KubeClient, kubeErrors } from "@fairlead/kube";

export interface PiecesPlace {
  readonly kube: Pick<KubeClient, "request">;
  readonly namespace: string;
  /** Pieces are called BASE-0, BASE-1 … */
  readonly base: string;
  readonly signal: AbortSignal;
}

export async function keepPieces(
  place: PiecesPlace,
  content: {
    readonly bytes: Buffer;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly pieceBytes?: number;
  },
): Promise<void> {
  const { kube, namespace, base, signal } = place;
  const { bytes, labels, pieceBytes = 700 * 1024 } = content;
  const count = Math.max(1, Math.ceil(bytes.length / pieceBytes));
  const annotations = { ...content.annotations, [countAnnotation]: String(count) };
  for (let at = count - 1; at >= 0; at--) {
    const piece = bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes).toString("base64");
    const metadata = { name: `${base}-${at}`, labels, annotations };
    const body = { apiVersion: "v1", kind: "Secret", type: "fairlead.dev/tofu", metadata, data: { piece } };
    await kube.request({ method: "POST", path: folderOf(namespace), body, signal });
  }
}

/** Undefined where they aren't all there. */
export async function fetchPieces(place: PiecesPlace): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  for (let at = 0, count = 1; at < count; at++) {
    const secret = await get(place, at);
    if (secret === undefined) return undefined;
    count = Math.min(Number(secret.metadata.annotations?.[countAnnotation] ?? 1), mostPieces);
    pieces.push(Buffer.from(secret.data?.["piece"] ?? "", "base64"));
  }
  return Buffer.concat(pieces);
}

export async function removePieces(place: PiecesPlace): Promise<void> {
  const first = await get(place, 0);
  const count = Math.min(Number(first?.metadata.annotations?.[countAnnotation] ?? 1), mostPieces);
  for (let at = 0; at < count; at++) await discardSecret(place, `${place.base}-${at}`);
}

export async function discardSecret(
  { kube, namespace, signal }: Omit<PiecesPlace, "base">,
  name: string,
): Promise<void> {
  try {
    await kube.request({ method: "DELETE", path: `${folderOf(namespace)}/${name}`, signal });
  } catch (error) {
    if (!kubeErrors.is(error, "KUBE_NOT_FOUND")) throw error;
  }
}

async function get({ kube, namespace, base, signal }: PiecesPlace, at: number): Promise<Secret | undefined> {
  try {
    return await kube.request<Secret>({ path: `${folderOf(namespace)}/${base}-${at}`, signal });
  } catch (error) {
    if (kubeErrors.is(error, "KUBE_NOT_FOUND")) return undefined;
    throw error;
  }
}

function folderOf(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/secrets`;
}

interface Secret {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
}

const countAnnotation = "fairlead.dev/pieces";
const mostPieces = 64;
