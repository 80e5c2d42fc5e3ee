import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { text as readText } from "node:stream/consumers";
import { createMovableClock, until } from "@fairlead/kernel/testing";
import { afterEach, expect, test } from "vitest";
import { judgeHost } from "../../policy/judge-host.ts";
import { policySchema } from "../../policy/schema.ts";
import { type Egress, type EgressPass, openEgress } from "./index.ts";

let undo = new AsyncDisposableStack();
afterEach(async () => {
  await undo.disposeAsync();
  undo = new AsyncDisposableStack();
});

test("bytes pass both ways through CONNECT, to their ends", async () => {
  const port = await listen(
    (socket) => void socket.on("data", (data) => socket.write(`<${data}>`)).on("end", () => socket.end("over")),
  );
  const egress = await open(["127.0.0.1:*"]);
  const { status, socket } = await tunnel(egress.admit({}), `127.0.0.1:${port}`);
  expect(status).toBe(200);
  socket.end("hello");
  expect(await readText(socket)).toBe("<hello>over");
});

test("a request for an http address passes with its body, and says nothing about the proxy", async () => {
  const seen: IncomingMessage[] = [];
  const port = await serve(async (incoming) => {
    seen.push(incoming);
    return `${incoming.method} ${incoming.url} ${await readText(incoming)}`;
  });
  const egress = await open(["127.0.0.1:*"]);
  const pass = egress.admit({});
  const answer = await ask(pass, `http://127.0.0.1:${port}/a%2Fb/../c?d=e`, { method: "POST", body: "text" });
  expect(answer).toEqual({ status: 200, text: "POST /a%2Fb/../c?d=e text" });
  expect(seen[0]?.headers).toMatchObject({ host: `127.0.0.1:${port}`, "x-own": "kept" });
  expect(seen[0]?.headers["proxy-authorization"]).toBeUndefined();
});

test.each([
  ["a host that the policy doesn't list", [], "example.com", "EGRESS_HOST_REFUSED"],
  ["a host whose name only looks listed", ["*.example.com"], "evil.example.com.evil.net", "EGRESS_HOST_REFUSED"],
  ["a metadata address", ["*"], "169.254.169.254", "EGRESS_ADDRESS_REFUSED"],
  ["a metadata address that is listed", ["169.254.169.254:80"], "169.254.169.254", "EGRESS_ADDRESS_REFUSED"],
  ["a name that leads to one", ["*"], "metadata.example.com", "EGRESS_ADDRESS_REFUSED"],
  ["an address in IPv6's spelling of it", ["*"], "[::ffff:169.254.169.254]", "EGRESS_ADDRESS_REFUSED"],
  ["loopback where no list names it", ["*"], "127.0.0.1", "EGRESS_ADDRESS_REFUSED"],
  ["loopback without a rule", undefined, "127.0.0.1", "EGRESS_ADDRESS_REFUSED"],
  ["loopback by a pattern", ["127.0.0.*:80"], "127.0.0.1", "EGRESS_ADDRESS_REFUSED"],
  ["a name that leads to loopback", ["local.example.com:80"], "local.example.com", "EGRESS_ADDRESS_REFUSED"],
  ["a name with a good address and a bad one", ["*"], "mixed.example.com", "EGRESS_ADDRESS_REFUSED"],
  ["the machine's own address", ["*"], "10.1.2.3", "EGRESS_ADDRESS_REFUSED"],
  ["what is no host", ["*"], "a_b..c", "EGRESS_REQUEST_INVALID"],
])("%s is refused", async (_, allow, host, code) => {
  const names = new Map([
    ["metadata.example.com", ["169.254.169.254"]],
    ["local.example.com", ["127.0.0.1"]],
    ["mixed.example.com", ["93.184.216.34", "127.0.0.1"]],
  ]);
  const resolve = async (name: string): Promise<readonly string[]> => names.get(name) ?? [];
  const egress = await open(allow, { resolve, ownAddresses: () => ["10.1.2.3"] });
  const refused: string[] = [];
  const pass = egress.admit({ onRefused: (name, { code: told }) => refused.push(`${name} ${told}`) });
  const plain = await ask(pass, `http://${host}/`);
  const tunnelled = await tunnel(pass, `${host}:80`);
  for (const { status, text } of [plain, tunnelled]) {
    expect(text).toContain(`${code}: `);
    expect(status).toBe(code === "EGRESS_REQUEST_INVALID" ? 400 : 403);
  }
  if (code !== "EGRESS_REQUEST_INVALID")
    expect(refused).toEqual([expect.stringContaining(code), expect.stringContaining(code)]);
});

test("the agent's own listeners are refused, its proxy among them, whatever the policy lists", async () => {
  const port = await listen((socket) => socket.end("secret"));
  const egress = await open(["127.0.0.1:*", "localhost:*"], { ownPorts: () => [port] });
  const pass = egress.admit({});
  for (const target of [`127.0.0.1:${port}`, `localhost:${port}`, `127.0.0.1:${egress.port}`]) {
    const { status, text } = await tunnel(pass, target);
    expect(status).toBe(403);
    expect(text).toContain("EGRESS_ADDRESS_REFUSED");
  }
});

test("a name is resolved once: what was judged is what is dialled", async () => {
  const port = await listen((socket) => socket.end("first"));
  const asked: string[] = [];
  const resolve = async (name: string): Promise<readonly string[]> => {
    asked.push(name);
    return asked.length === 1 ? ["127.0.0.1"] : ["169.254.169.254"];
  };
  const egress = await open(["localhost:*"], { resolve });
  const pass = egress.admit({});
  const { status, socket } = await tunnel(pass, `LOCALHOST.:${port}`);
  expect(status).toBe(200);
  expect(await readText(socket)).toBe("first");
  expect(asked).toEqual(["localhost"]);
  expect((await tunnel(pass, `localhost:${port}`)).text).toContain("EGRESS_ADDRESS_REFUSED");
});

test("a redirect is a request of its own, which is judged like any other", async () => {
  const port = await serve(async () => "redirect");
  const egress = await open([`127.0.0.1:${port}`]);
  const pass = egress.admit({});
  expect(await ask(pass, `http://127.0.0.1:${port}/redirect`)).toMatchObject({ status: 302 });
  expect((await ask(pass, "http://169.254.169.254/latest")).text).toContain("EGRESS_HOST_REFUSED");
});

test("a run may be kept to fewer hosts than the policy lists", async () => {
  const port = await serve(async () => "ok");
  const egress = await open(["127.0.0.1:*", "git.example.com"]);
  const pass = egress.admit({ allow: ["git.example.com"] });
  expect((await ask(pass, `http://127.0.0.1:${port}/`)).text).toContain("EGRESS_HOST_REFUSED");
  const wide = egress.admit({ allow: ["127.0.0.1:*", "other.example.com"] });
  expect(await ask(wide, `http://127.0.0.1:${port}/`)).toEqual({ status: 200, text: "ok" });
  expect((await ask(wide, "http://other.example.com/")).text).toContain("EGRESS_HOST_REFUSED");
});

test.each([
  ["none", undefined],
  ["another run's after its end", "ended"],
  ["a guessed one", `run:${"0".repeat(48)}`],
  ["one of another user", "other"],
  ["no Basic one", "Bearer x"],
])("with %s as its key a request gets no further", async (_, how) => {
  const port = await serve(async () => "ok");
  const egress = await open(["127.0.0.1:*"]);
  const ended = egress.admit({});
  ended[Symbol.dispose]();
  const { key } = egress.admit({});
  const credentials = how === "ended" ? `run:${ended.key}` : how === "other" ? `root:${key}` : how;
  const answer = await ask({ url: egress.admit({}).url }, `http://127.0.0.1:${port}/`, { credentials });
  expect(answer.status).toBe(407);
  expect(answer.text).toContain("EGRESS_KEY_INVALID");
  const { status } = await tunnel({ url: egress.admit({}).url }, `127.0.0.1:${port}`, credentials);
  expect(status).toBe(407);
});

test("what is under way ends with its run, and no other", async () => {
  const port = await listen(echo);
  const egress = await open(["127.0.0.1:*"]);
  const [one, other] = [egress.admit({}), egress.admit({})];
  const first = await tunnel(one, `127.0.0.1:${port}`);
  const second = await tunnel(other, `127.0.0.1:${port}`);
  one[Symbol.dispose]();
  await untilOver(first.socket);
  second.socket.write("still here");
  expect(String((await once(second.socket, "data"))[0])).toBe("still here");
});

test("a run has so many connections and no more, and others notice nothing", async () => {
  const port = await listen(echo);
  const egress = await open(["127.0.0.1:*"], { limits: { perRun: 2, inAll: 3 } });
  const [one, other] = [egress.admit({}), egress.admit({})];
  const first = await tunnel(one, `127.0.0.1:${port}`);
  await tunnel(one, `127.0.0.1:${port}`);
  expect(await tunnel(one, `127.0.0.1:${port}`)).toMatchObject({
    status: 503,
    text: expect.stringContaining("EGRESS_TOO_MANY"),
  });
  expect(await tunnel(other, `127.0.0.1:${port}`)).toMatchObject({ status: 200 });
  expect(await tunnel(other, `127.0.0.1:${port}`)).toMatchObject({
    status: 503,
    text: expect.stringContaining("All commands"),
  });
  first.socket.destroy();
  await until(async () => {
    const { status, socket } = await tunnel(one, `127.0.0.1:${port}`);
    if (status !== 200) socket.destroy();
    return status === 200;
  }, "there is room again");
});

test("a connection on which nothing happens ends, and so does one that doesn't come about", async () => {
  const clock = createMovableClock();
  const port = await listen(echo);
  const never = Promise.withResolvers<readonly string[]>();
  const resolve = (name: string) => (name === "slow.example.com" ? never.promise : Promise.resolve(["127.0.0.1"]));
  const egress = await open(["127.0.0.1:*", "slow.example.com"], { clock, resolve });
  const pass = egress.admit({});
  const { socket } = await tunnel(pass, `127.0.0.1:${port}`);
  clock.move(4 * 60_000);
  socket.write("x");
  await once(socket, "data");
  clock.move(4 * 60_000);
  expect(socket.readableEnded).toBe(false);
  clock.move(60_000);
  await untilOver(socket);
  const slow = tunnel(pass, "slow.example.com:443");
  await until(() => clock.pendingCount > 0, "it is being resolved");
  clock.move(30_000);
  expect(await slow).toMatchObject({ status: 502, text: expect.stringContaining("EGRESS_UNREACHABLE") });
});

test("the agent's own proxy is used, and told names that nobody knows here, but no refused address", async () => {
  const asked: string[] = [];
  const upstream = await listen((socket) => {
    socket.once("data", (data) => {
      asked.push(String(data).split("\r\n")[0] ?? "");
      socket.write("HTTP/1.1 200 OK\r\n\r\nfrom afar");
      socket.end();
    });
  });
  const environment = { HTTPS_PROXY: `http://127.0.0.1:${upstream}`, NO_PROXY: "direct.example.com" };
  const resolve = async (name: string): Promise<readonly string[]> => {
    if (name === "bad.example.com") return ["169.254.169.254"];
    throw new Error("nobody knows it");
  };
  const egress = await open(["*"], { environment, resolve });
  const pass = egress.admit({});
  const { status, socket } = await tunnel(pass, "far.example.com:443");
  expect(status).toBe(200);
  expect(await readText(socket)).toBe("from afar");
  expect((await tunnel(pass, "bad.example.com:443")).text).toContain("EGRESS_ADDRESS_REFUSED");
  expect((await tunnel(pass, "169.254.169.254:443")).text).toContain("EGRESS_ADDRESS_REFUSED");
  expect((await tunnel(pass, "direct.example.com:443")).text).toContain("EGRESS_UNREACHABLE");
  expect(asked).toEqual(["CONNECT far.example.com:443 HTTP/1.1"]);
});

test("a plain request goes through the agent's own proxy, too", async () => {
  const upstream = await listen((socket) => {
    socket.once("data", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfrom afar"));
    });
  });
  const environment = { HTTPS_PROXY: `http://127.0.0.1:${upstream}` };
  const egress = await open(["*"], { environment, resolve: async () => [] });
  expect(await ask(egress.admit({}), "http://far.example.com/")).toEqual({ status: 200, text: "from afar" });
});

test("a request in no proxy's form is refused", async () => {
  const egress = await open(["*"]);
  const pass = egress.admit({});
  for (const target of ["/path", "https://example.com/", "http://user@example.com/"]) {
    const answer = await ask(pass, target);
    expect(answer).toMatchObject({ status: 400, text: expect.stringContaining("EGRESS_REQUEST_INVALID") });
  }
});

test("another policy ends what it forbids", async () => {
  const port = await listen(echo);
  let isAllowed = true;
  const verdicts = {
    true: { allowed: true, isLocal: true },
    false: { allowed: false, rule: "x", reason: "y" },
  } as const;
  const egress = await open([], { judgeHost: () => verdicts[`${isAllowed}`] });
  const { socket } = await tunnel(egress.admit({}), `127.0.0.1:${port}`);
  egress.judgeAgain();
  socket.write("still here");
  await once(socket, "data");
  isAllowed = false;
  egress.judgeAgain();
  await untilOver(socket);
});

test("whoever only dials keeps nobody out, and ends nothing that is under way", async () => {
  const port = await listen(echo);
  const egress = await open(["127.0.0.1:*"], { limits: { strangers: 3 } });
  const pass = egress.admit({});
  const { socket } = await tunnel(pass, `127.0.0.1:${port}`);
  const dialled = Array.from({ length: 10 }, () => connect({ host: "127.0.0.1", port: egress.port }));
  undo.defer(() => dialled.forEach((one) => void one.destroy()));
  await Promise.all(dialled.slice(0, 7).map(untilOver));
  expect(await tunnel(pass, `127.0.0.1:${port}`)).toMatchObject({ status: 200 });
  socket.write("still here");
  await once(socket, "data");
});

test("the proxy ends with the agent", async () => {
  const port = await listen(echo);
  const stopping = new AbortController();
  const egress = await open(["127.0.0.1:*"], { signal: stopping.signal });
  const { socket } = await tunnel(egress.admit({}), `127.0.0.1:${port}`);
  stopping.abort();
  await untilOver(socket);
  await expect(tunnel(egress.admit({}), `127.0.0.1:${port}`)).rejects.toThrow();
});

async function open(
  allow: readonly string[] | undefined,
  options: Partial<Parameters<typeof openEgress>[0]> = {},
): Promise<Egress> {
  const policy = policySchema.parse({ execute: { network: allow && { hosts: { allow } } } });
  const judge = (target: { host: string; port?: number | undefined }) => judgeHost(policy, target);
  return undo.use(await openEgress({ judgeHost: judge, environment: {}, ...options }));
}

async function listen(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => undefined);
    undo.defer(() => void socket.destroy());
    onSocket(socket);
  });
  return await startServer(server);
}

async function serve(answer: (incoming: IncomingMessage) => Promise<string>): Promise<number> {
  return await startServer(
    createHttpServer((incoming, response) => {
      const isRedirect = incoming.url === "/redirect";
      if (isRedirect) response.writeHead(302, { location: "http://169.254.169.254/latest" });
      void answer(incoming).then((text) => response.end(text));
    }),
  );
}

function echo(socket: Socket): void {
  socket.on("data", (data) => socket.write(data)).on("end", () => socket.end());
}

async function untilOver(socket: Socket): Promise<void> {
  const over = Promise.withResolvers<void>();
  socket.on("end", () => over.resolve()).on("close", () => over.resolve());
  socket.resume();
  await over.promise;
}

async function startServer(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  undo.defer(() => void server.close());
  return (server.address() as AddressInfo).port;
}

function authorization({ url }: Pick<EgressPass, "url">, credentials?: string): Record<string, string> {
  if (credentials?.includes(" ")) return { "proxy-authorization": credentials };
  const { username, password } = new URL(url);
  const text = credentials ?? `${username}:${password}`;
  return { "proxy-authorization": `Basic ${Buffer.from(text).toString("base64")}` };
}

async function ask(
  pass: Pick<EgressPass, "url">,
  address: string,
  options: { readonly method?: string; readonly body?: string; readonly credentials?: string | undefined } = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const { method = "GET", body = "" } = options;
  const isKeyless = "credentials" in options && options.credentials === undefined;
  const headers = { "x-own": "kept", ...(!isKeyless && authorization(pass, options.credentials)) };
  const { port } = new URL(pass.url);
  const sent = request({ host: "127.0.0.1", port, path: address, method, headers, agent: false }).end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, text: await readText(answer) };
}

async function tunnel(
  pass: Pick<EgressPass, "url">,
  authority: string,
  ...credentials: readonly (string | undefined)[]
): Promise<{ readonly status: number; readonly text: string; readonly socket: Socket }> {
  const isKeyless = credentials.length > 0 && credentials[0] === undefined;
  const headers = Object.entries(isKeyless ? {} : authorization(pass, credentials[0]));
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(pass.url).port), allowHalfOpen: true });
  undo.defer(() => void socket.destroy());
  socket.on("error", () => undefined);
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${lines}\r\n`);
  let text = "";
  while (!text.includes("\r\n\r\n")) {
    const chunk: Buffer | null = socket.read() as Buffer | null;
    if (chunk !== null) text += String(chunk);
    else if (socket.readableEnded || socket.destroyed) throw new Error("it was cut");
    else await Promise.race([once(socket, "readable"), once(socket, "close")]);
  }
  const [head = "", rest = ""] = text.split("\r\n\r\n");
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]);
  if (status !== 200) return { status, text: rest + (await readText(socket)), socket };
  if (rest !== "") socket.unshift(Buffer.from(rest));
  return { status, text: "", socket };
}
