// The releases of this command's name, read and mended in the Secrets in which Helm keeps them. Helm's own output isn't
// read for it: it holds the same, and all values besides.
import {
  Fields,
  getObject,
  type KubeObject,
  packRelease,
  type Release,
  readRelease,
  unpackRelease,
} from "@fairlead/kube";
import { writerName, writerPrefix } from "../../programs.ts";
import type { Task } from "../../types.ts";
import { helmErrors } from "../errors.ts";
import type { HelmSpec } from "../types.ts";
import { askToTheEnd } from "./ask-to-the-end.ts";

/** The facts about a revision that are known without unpacking it. */
export interface ReleaseHead {
  readonly secret: string;
  readonly revision: number;
  readonly status: string;
  /** The last writer and the time of its write. */
  readonly writer: string;
  readonly writtenAt: string;
  /** Some command of Fairlead wrote it last. */
  readonly isFairlead: boolean;
  /** This command had a hand in it. */
  readonly isOwn: boolean;
}

export class ReleaseStore {
  readonly #task: Task<HelmSpec>;

  constructor(task: Task<HelmSpec>) {
    this.#task = task;
  }

  /** Oldest first. */
  async heads(): Promise<readonly ReleaseHead[]> {
    const { kube, spec, id } = this.#task;
    const query = new URLSearchParams({ labelSelector: `owner=helm,name=${spec.release}` });
    const path = `/api/v1/namespaces/${spec.namespace}/secrets?${query}`;
    const ask = { path, headers: { accept: metadataOnly } };
    const list = await askToTheEnd(this.#task, (signal) => kube.request<MetadataList>({ ...ask, signal }));
    return (list.items ?? [])
      .map((item) => toHead(item, writerName(id)))
      .filter((head) => head !== undefined)
      .sort((a, b) => a.revision - b.revision);
  }

  async latest(): Promise<ReleaseHead | undefined> {
    return (await this.heads()).at(-1);
  }

  /** Undefined when it is gone. */
  async open({ secret }: Pick<ReleaseHead, "secret">): Promise<Release | undefined> {
    const found = await this.#get(secret);
    if (found === undefined) return undefined;
    const release = readRelease(await unpackRelease(found));
    if (release === undefined) throw helmErrors.HELM_RELEASE_UNREADABLE({ secret });
    return release;
  }

  /** For what is only told of it. */
  async openIfReadable(head: Pick<ReleaseHead, "secret">): Promise<Release | undefined> {
    return await this.open(head).catch((error: unknown) => {
      if (helmErrors.is(error, "HELM_RELEASE_UNREADABLE")) return undefined;
      throw error;
    });
  }

  /** Helm goes on from a failed revision, and from none that is under way. */
  async markFailed({ secret, status }: ReleaseHead): Promise<void> {
    const { kube, spec, id, log } = this.#task;
    const found = await this.#get(secret);
    if (found === undefined || statusOf(found) !== status) throw this.#changed();
    const value = await unpackRelease(found, { numbers: "exact" });
    if (readRelease(value) === undefined) throw helmErrors.HELM_RELEASE_UNREADABLE({ secret });
    const release = value as { readonly info: object };
    const description = `it was ${status} when its run died`;
    const data = {
      release: await packRelease({ ...release, info: { ...release.info, status: "failed", description } }),
    };
    const labels = { ...found.metadata.labels, status: "failed" };
    const { managedFields: _fields, ...metadata } = found.metadata;
    // With its resource version: nobody may have changed it since.
    const body = { ...found, metadata: { ...metadata, labels }, data };
    const path = `${secretPath(spec.namespace, secret)}?fieldManager=${encodeURIComponent(writerName(id))}`;
    await askToTheEnd(this.#task, (signal) => kube.request({ method: "PUT", path, body, signal }));
    log.line(`repaired: ${secret} was ${status} and is failed now`);
  }

  #get(name: string): Promise<KubeObject | undefined> {
    const { kube: client, spec } = this.#task;
    const { namespace } = spec;
    return askToTheEnd(this.#task, (signal) => getObject({ client, resource: secrets, namespace, name, signal }));
  }

  #changed(): Error {
    return helmErrors.HELM_RELEASE_CHANGED({ release: this.#task.spec.release });
  }
}

interface MetadataList {
  readonly items?: readonly { readonly metadata: KubeObject["metadata"] }[];
}

function toHead({ metadata }: { readonly metadata: KubeObject["metadata"] }, own: string): ReleaseHead | undefined {
  const { name, labels = {}, creationTimestamp = "" } = metadata;
  const revision = Number(labels["version"]);
  if (!Number.isSafeInteger(revision) || revision < 1 || !name.startsWith("sh.helm.release.v1.")) return undefined;
  const writers = new Fields(metadata.managedFields)
    .list()
    .map((entry) => ({ name: entry.at("manager").text() ?? "", at: entry.at("time").text() ?? creationTimestamp }))
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const last = writers.at(-1);
  return {
    secret: name,
    revision,
    status: labels["status"] ?? "unknown",
    writer: last?.name ?? "somebody",
    writtenAt: last?.at ?? creationTimestamp,
    isFairlead: writers.length > 0 && writers.every(({ name: writer }) => writer.startsWith(writerPrefix)),
    isOwn: writers.some(({ name: writer }) => writer === own),
  };
}

function statusOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.["status"];
}

function secretPath(namespace: string, name: string): string {
  return `/api/v1/namespaces/${namespace}/secrets/${encodeURIComponent(name)}`;
}

const secrets = { group: "", version: "v1", resource: "secrets", kind: "Secret" };
const metadataOnly = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
