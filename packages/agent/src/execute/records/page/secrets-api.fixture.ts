// Secrets in memory, with resource versions as an API server counts them, and clients of them that die where a test wants it.
import { type KubeClient, type KubeRequest, kubeErrors } from "@fairlead/kube";

interface Secret {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
}

interface Death {
  /** The number of the last request. */
  readonly at: number;
  readonly tookEffect: boolean;
}

export class SecretsApi {
  readonly secrets = new Map<string, Secret>();
  writes = 0;
  #version = 0;

  /** After its death its requests are never answered. */
  client(death: Death = { at: Number.POSITIVE_INFINITY, tookEffect: false }): KubeClient {
    let count = 0;
    const request = async (what: KubeRequest): Promise<unknown> => {
      count += 1;
      await Promise.resolve();
      if (count > death.at) return await new Promise(() => undefined);
      if (count === death.at && !death.tookEffect) return await new Promise(() => undefined);
      const answer = this.#answer(what);
      return count === death.at ? await new Promise(() => undefined) : answer;
    };
    return { access: { namespace: "agents" }, request } as unknown as KubeClient;
  }

  /** As somebody with kubectl does it, with each of them. */
  edit(change: (secret: Secret) => Secret): void {
    for (const secret of this.secrets.values()) this.#put(change(secret));
  }

  #answer({ method = "GET", path, body }: KubeRequest): unknown {
    const url = new URL(path, "https://api");
    const name = url.pathname.split("/")[6];
    const known = name === undefined ? undefined : this.secrets.get(name);
    if (method === "GET") return name === undefined ? this.#list(url.searchParams) : (known ?? missing());
    this.writes += 1;
    if (method === "POST") {
      const secret = body as Secret;
      if (this.secrets.has(secret.metadata.name)) throw kubeErrors.KUBE_ALREADY_EXISTS({ message: "it is there" });
      return this.#put(secret);
    }
    const { metadata, preconditions } = (body ?? {}) as Partial<Secret> & { preconditions?: Secret["metadata"] };
    if (known === undefined) return missing();
    const meant = (metadata ?? preconditions)?.resourceVersion;
    if (meant !== undefined && meant !== known.metadata.resourceVersion)
      throw kubeErrors.KUBE_CONFLICT({ message: "it is another one" });
    if (method === "PUT") return this.#put(body as Secret);
    this.secrets.delete(known.metadata.name);
    return known;
  }

  #put(secret: Secret): Secret {
    const resourceVersion = String(++this.#version);
    const stored = { ...secret, metadata: { ...secret.metadata, resourceVersion } };
    this.secrets.set(secret.metadata.name, stored);
    return stored;
  }

  #list(query: URLSearchParams): unknown {
    const wanted = (query.get("labelSelector") ?? "").split(",").map((each) => each.split("="));
    const items = [...this.secrets.values()].filter(({ metadata: { labels = {} } }) =>
      wanted.every(([key = "", value]) => key in labels && (value === undefined || labels[key] === value)),
    );
    return { metadata: {}, items };
  }
}

function missing(): never {
  throw kubeErrors.KUBE_NOT_FOUND({ message: "it isn't there" });
}
