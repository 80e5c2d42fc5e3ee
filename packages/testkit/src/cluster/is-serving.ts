import type { ApiClient } from "./api-request.ts";

/** False also where nothing answers. */
export async function isServing(api: ApiClient): Promise<boolean> {
  try {
    return (await api.send({ path: "/readyz", timeoutMs: 5000 })).status === 200;
  } catch {
    return false;
  }
}
