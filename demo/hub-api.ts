// The hub's API without a command's start-up time, for what is measured and for what is waited for.
import { request } from "node:https";
import type { TestHub } from "@fairlead/testkit";

export function askHub<T>(hub: Pick<TestHub, "url" | "caPem" | "adminToken">, path: string): Promise<T> {
  const { url, caPem: ca, adminToken } = hub;
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${adminToken}` };
    const call = request(new URL(path, url), { ca, headers, timeout: 30_000 }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.once("error", reject);
      answer.once("end", () => {
        const text = Buffer.concat(chunks).toString();
        if (answer.statusCode === 200) resolve(JSON.parse(text) as T);
        else reject(new Error(`the hub answered ${path} with ${answer.statusCode}: ${text}`));
      });
    });
    call.once("timeout", () => call.destroy(new Error(`the hub doesn't answer ${path}`)));
    call.once("error", reject);
    call.end();
  });
}
