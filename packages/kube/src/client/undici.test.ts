import * as undici from "undici";
import { expect, test } from "vitest";
import { buildConnector, Client, Pool } from "./undici.ts";

test("what is loaded alone is what undici's index gives", () => {
  expect(Pool).toBe(undici.Pool);
  expect(Client).toBe(undici.Client);
  expect(buildConnector).toBe(undici.buildConnector);
});
