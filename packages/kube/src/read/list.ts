import { isFairleadError, sleep } from "@fairlead/kernel";
import { kubeErrors, statusOf } from "../errors/index.ts";
import type { KubeObject } from "../objects/index.ts";
import { type ListOptions, type ListPage, readPage } from "./list-page.ts";

/**
 * All objects of a kind as they were at one moment, page by page; returns the resource version of that moment. Fails with
 * KUBE_GONE when the API server forgot the moment before the last page was read.
 */
export async function listEach(
  options: ListOptions,
  onObject: (object: KubeObject) => void | Promise<void>,
): Promise<string> {
  let continueToken: string | undefined;
  for (;;) {
    const onOpen = continueToken === undefined ? options.onOpen : undefined;
    const page = await readPageTenaciously({ ...options, continueToken, onOpen }, onObject);
    if (page.continueToken === undefined) return page.resourceVersion;
    continueToken = page.continueToken;
  }
}

/**
 * Objects page by page, to look at what is there now. A list so long that the API server forgets its moment goes on with
 * a later one, so that an object may be in it as it was then, or as it is now.
 */
export async function* listObjects(options: ListOptions): AsyncGenerator<KubeObject[], void, void> {
  let continueToken: string | undefined;
  do {
    // By uid, because a page that is asked for again names some of them again.
    const objects = new Map<string, KubeObject>();
    try {
      const page = await readPageTenaciously(
        { ...options, continueToken },
        (object) => void objects.set(object.metadata.uid, object),
      );
      continueToken = page.continueToken;
    } catch (error) {
      const later = laterToken(error);
      if (later === undefined || later === continueToken) throw error;
      continueToken = later;
      objects.clear();
    }
    if (objects.size > 0) yield [...objects.values()];
  } while (continueToken !== undefined);
}

/** A page that breaks off is asked for again, and smaller: its reader may have been too slow for the API server. */
async function readPageTenaciously(
  options: ListOptions,
  onObject: (object: KubeObject) => void | Promise<void>,
): Promise<ListPage> {
  const { clock, signal, pageSize = defaultPageSize } = options;
  for (let attempt = 0; ; attempt++) {
    try {
      return await readPage({ ...options, pageSize: Math.ceil(pageSize / 4 ** attempt) }, onObject);
    } catch (error) {
      const isFirstPage = options.continueToken === undefined;
      const mayPass = isFairleadError(error) && error.retryable && !isFirstPage;
      if (!mayPass || attempt === attemptsPerPage - 1) throw error;
      await sleep(retryMs * 2 ** attempt, { signal, ...(clock && { clock }) });
    }
  }
}

/** Finds how to go on with a list whose moment the API server forgot. */
function laterToken(error: unknown): string | undefined {
  if (!kubeErrors.is(error, "KUBE_GONE")) return undefined;
  const token = statusOf(error)?.metadata?.["continue"];
  return typeof token === "string" && token !== "" ? token : undefined;
}

const defaultPageSize = 500;
const attemptsPerPage = 4;
const retryMs = 500;
