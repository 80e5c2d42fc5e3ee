// A body by GET, over redirects, as release pages send them. Not by `fetch`: the one in Node 24 ends the process on an
// assertion when a server of HTTP/1.0 closes while the reader is slow.
import { Agent as HttpAgent, get as httpGet, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, get as httpsGet } from "node:https";

const maxRedirects = 5;

/** Honours HTTP_PROXY, HTTPS_PROXY and NO_PROXY. Throws for any answer but 200. */
export async function openUrl(url: string, { signal }: { readonly signal: AbortSignal }): Promise<IncomingMessage> {
  let target = new URL(url);
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await ask(target, signal);
    const { statusCode = 0, headers } = response;
    if (statusCode === 200) return response;
    response.destroy();
    if (statusCode < 300 || statusCode >= 400 || headers.location === undefined) {
      throw new Error(`the answer is ${statusCode}`);
    }
    const next = new URL(headers.location, target);
    if (target.protocol === "https:" && next.protocol !== "https:") throw new Error(`it leads to ${next.protocol}`);
    target = next;
  }
  throw new Error(`it leads on more than ${maxRedirects} times`);
}

function ask(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  const [get, Agent] = url.protocol === "https:" ? ([httpsGet, HttpsAgent] as const) : ([httpGet, HttpAgent] as const);
  return new Promise((resolve, reject) => {
    get(url, { agent: new Agent({ proxyEnv: process.env }), signal }, resolve).once("error", reject);
  });
}
